import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import t from 'tap'
import type { FolderMetadata } from '#contract/metadata.ts'
import { cameraExif, jpegWithExif, tiffOf } from '#src/testing/exif-data.ts'
import { hostileNames } from '#src/testing/names.ts'
import { asJpeg, plain } from '#src/testing/pictures.ts'
import { start } from '#src/testing/start.ts'
import { systemTool } from '#src/testing/system-tool.ts'

const picture = jpegWithExif(await asJpeg(plain(60, 40, [200, 30, 30])), tiffOf(cameraExif))
const size = { width: 40, height: 60 }

/** Two users: one may read everything in the folder `own`, the other may not download. */
async function setUp(t: Parameters<typeof start>[0]) {
  const denied = { allow: false, path: '/denied.jpg', regex: false, regexp: null }
  const started = await start(t, {
    tree: { own: {}, other: {} },
    people: {
      reader: { scope: '/own', perm: { download: true }, rules: [denied], hideDotfiles: true },
      looker: { scope: '/own', perm: { download: false } },
    },
  })
  const { root, as } = started
  const ask = async (name: string, url: string) => (await as(name))('GET', url)
  const items = async (name: string, url = '/api/metadata/') =>
    (await ask(name, url)).json<FolderMetadata>().items
  return { ...started, own: join(root, 'own'), other: join(root, 'other'), ask, items }
}

t.test('metadata leaves out what the user may not see', async (t) => {
  const { own, other, ask, items } = await setUp(t)
  for (const name of ['a.jpg', 'denied.jpg', '.hidden.jpg']) writeFileSync(join(own, name), picture)
  writeFileSync(join(other, 'secret.jpg'), picture)
  symlinkSync('../other/secret.jpg', join(own, 'outside.jpg'))
  symlinkSync('denied.jpg', join(own, 'to-denied.jpg'))
  symlinkSync('.hidden.jpg', join(own, 'to-hidden.jpg'))
  symlinkSync('nowhere.jpg', join(own, 'dangling.jpg'))
  symlinkSync('a.jpg', join(own, 'inside.jpg'))
  const fields = '?fields=dimensions,owner'
  // The pictures are known already, because another user has asked for them.
  t.equal(Object.keys(await items('admin', '/api/metadata/own')).length, 7)
  t.strictSame(Object.keys(await items('reader', `/api/metadata/${fields}`)).sort(), ['a.jpg', 'inside.jpg'])
  t.match(await items('reader'), { 'a.jpg': size, 'inside.jpg': size })
  for (const name of [
    'denied.jpg',
    '.hidden.jpg',
    'outside.jpg',
    'to-denied.jpg',
    'to-hidden.jpg',
    '../other/secret.jpg',
  ])
    t.match((await ask('reader', `/api/metadata/${name}`)).statusCode, /40[0-4]/, name)
})

t.test('pipes and devices are not opened', { timeout: 30_000 }, async (t) => {
  const { own, ask, items } = await setUp(t)
  execFileSync(systemTool('mkfifo'), [join(own, 'pipe.jpg')])
  symlinkSync('pipe.jpg', join(own, 'to-pipe.jpg'))
  writeFileSync(join(own, 'a.jpg'), picture)
  t.strictSame(Object.keys(await items('reader')), ['a.jpg'])
  t.equal((await ask('reader', '/api/metadata/pipe.jpg')).statusCode, 403)
})

t.test('names of any form are in the response unchanged', async (t) => {
  const { own, items } = await setUp(t)
  const names = [
    ...hostileNames.map((name) => `${name}.jpg`),
    '__proto__.jpg',
    'a"b.jpg',
    'line\nbreak.jpg',
  ].filter((name) => Buffer.byteLength(name) < 255 && !name.startsWith('.'))
  for (const name of names) writeFileSync(join(own, name), picture)
  mkdirSync(join(own, '__proto__'))
  t.strictSame(Object.keys(await items('reader')).sort(), [...new Set(names)].sort())
  t.ok(Object.keys(await items('reader', '/api/metadata/?fields=owner')).includes('__proto__'))
})

t.test('a changed file is read again, also if it has its old time and size', async (t) => {
  const { own, items } = await setUp(t)
  const file = join(own, 'a.jpg')
  writeFileSync(file, picture)
  t.match(await items('reader'), { 'a.jpg': size })
  // The clock of a disk may have a resolution of 10 ms.
  await setTimeout(20)
  const turned = jpegWithExif(await asJpeg(plain(60, 40, [200, 30, 30])), tiffOf({ ...cameraExif, ifd0: {} }))
  writeFileSync(file, Buffer.concat([turned, Buffer.alloc(picture.length)]).subarray(0, picture.length))
  t.match(await items('reader'), { 'a.jpg': { width: 60, height: 40 } })
})

t.test('an unknown field, a missing file and a path outside are refused', async (t) => {
  const { ask } = await setUp(t)
  t.equal((await ask('reader', '/api/metadata/?fields=secret')).statusCode, 400)
  t.equal((await ask('reader', '/api/metadata/?fields=')).statusCode, 400)
  t.equal((await ask('reader', '/api/metadata/none.jpg')).statusCode, 404)
  t.match((await ask('reader', '/api/metadata/%2e%2e/other/secret.jpg')).statusCode, /40[04]/)
})

t.test('the owner has the name of the account on the machine, or its number', async (t) => {
  const { own, items, ask } = await setUp(t)
  writeFileSync(join(own, 'a.txt'), 'text')
  const owner = userInfo().username
  t.strictSame(await items('reader', '/api/metadata/?fields=owner'), { 'a.txt': { owner } })
  t.strictSame((await ask('reader', '/api/metadata/a.txt')).json(), { owner })
})
