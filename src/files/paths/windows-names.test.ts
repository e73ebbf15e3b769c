import t from 'tap'
import { Problem } from '#src/core/problem.ts'
import { decodePath, normalizePath, windowsFault } from './user-path.ts'

t.test('on Windows, the names of devices are refused, in any case and with any extension', async (t) => {
  for (const name of [
    'NUL',
    'nul',
    'con.txt',
    'Aux.tar.gz',
    'PRN.',
    'COM1',
    'com0.log',
    'LPT9',
    'COM¹',
    'lpt³.x',
  ])
    t.type(windowsFault(name), 'string', name)
  for (const name of ['CONIN$', 'conout$.txt', 'nul .txt', 'NUL:', 'con:$DATA'])
    t.type(windowsFault(name), 'string', name)
  for (const name of [
    'console',
    'nul1',
    'com10',
    'null.txt',
    'xCON',
    'a.con',
    'aux-notes.txt',
    'COM',
    '.con',
  ])
    t.equal(windowsFault(name), undefined, name)
})

t.test('on Windows, a name that Windows would change or take apart is refused', async (t) => {
  // Dots and spaces at the end are removed, so that `secret.` would open `secret` past a rule for it.
  for (const name of ['secret.', 'secret ', 'secret. .', '...', 'a.txt::$DATA', 'a.txt:b', 'C:', 'C:secret'])
    t.type(windowsFault(name), 'string', name)
  for (const name of [
    '..\\secret',
    '\\\\server\\share',
    '\\\\?\\C:\\x',
    'a*',
    'a?',
    'a|b',
    '"a"',
    '<a>',
    'a\nb',
    'Icon\r',
  ])
    t.type(windowsFault(name), 'string', name)
  for (const name of [
    '.hidden',
    'a b.txt',
    ' a',
    'ä.txt',
    'a..b',
    '~$report.docx',
    'a+b,c;d=e[f]',
    'PROGRA~1',
  ])
    t.equal(windowsFault(name), undefined, name)
})

t.test('a path with such a name is invalid on Windows in every place, and valid on Linux', async (t) => {
  for (const path of [
    '/NUL',
    '/a/con.txt/b',
    '/docs./a',
    '/docs /a',
    '/C:/Windows',
    '/a.txt:stream',
    '/a\\..\\b',
    '/a\tb',
    '/...',
  ]) {
    t.throws(() => normalizePath(path, 'win32'), Problem, path)
    t.throws(() => decodePath(path.split('/').map(encodeURIComponent).join('/'), 'win32'), Problem, path)
    t.equal(normalizePath(path, 'linux').path, path)
  }
  t.equal(
    normalizePath('/a/./b/../c/', 'win32').path,
    '/a/c',
    'dot segments have no dot at the end of a name',
  )
  t.equal(normalizePath('//server/share', 'win32').path, '/server/share', 'stays below the root')
})
