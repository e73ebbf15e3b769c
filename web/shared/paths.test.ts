import t from 'tap'
import { page } from './page.ts'
import { decodePath, encodePath, nameOf, parentOf, paths, resourceIn, withoutBase } from './paths.ts'

const hostile = ['a b#?%.txt', '%2e%2e', '"\'<>&', '🎉', 'مرحبا', '..;', 'a+b=c', '\u202egnp.exe']

t.test('every name is unchanged after encoding into an address and decoding', async (t) => {
  for (const name of hostile) {
    const url = new URL(paths.files(`/dir/${name}`), 'http://x')
    t.equal(resourceIn(url.pathname), `/dir/${name}`)
    t.equal(decodePath(encodePath(`/${name}/`)), `/${name}/`)
  }
})

t.test('an address with broken encoding does not denote a file', async (t) => {
  t.equal(resourceIn('/files/100%'), undefined)
  t.equal(resourceIn('/settings'), undefined)
  t.equal(resourceIn('/files'), '/')
})

t.test('the base path is removed from the address of a page', async (t) => {
  page.BaseURL = '/sub/path'
  t.teardown(() => {
    page.BaseURL = ''
  })
  t.equal(withoutBase('/sub/path/files/a'), '/files/a')
  t.equal(withoutBase('/sub/path'), '/')
  t.equal(withoutBase('/sub/pathology'), '/sub/pathology')
  t.equal(resourceIn('/sub/path/files/a%20b'), '/a b')
})

t.test('the parent and the name of a path', async (t) => {
  t.equal(parentOf('/a/b/c.txt'), '/a/b/')
  t.equal(parentOf('/a/b/'), '/a/')
  t.equal(parentOf('/'), '/')
  t.equal(nameOf('/a/b/'), 'b')
  t.equal(nameOf('/'), '')
})

t.test('the sign-in page keeps the address to return to', async (t) => {
  t.equal(paths.login('/files/a b?x'), '/login?redirect=%2Ffiles%2Fa%20b%3Fx')
  t.equal(paths.login('/files/'), '/login?redirect=%2Ffiles%2F')
})
