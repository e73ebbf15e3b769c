import { readFileSync } from 'node:fs'
import t from 'tap'
import type { Rule } from '#contract/users.ts'
import { compileRules } from '#src/core/access/rules.ts'
import { openJail, openPath } from '#src/files/jail/jail.ts'
import { locate, newNameIn } from '#src/files/jail/locate.ts'
import { mountSpelling } from '#src/testing/folding-disk.ts'
import { trueName, trueNameSync } from './true-name.ts'
import { childOf, normalizePath, rootPath } from './user-path.ts'

const deny = (path: string): Rule => ({ allow: false, path, regex: false, regexp: null })

/** Opens a path: returns the path of the entry, or the code of the error. */
function opener(root: string, rules: readonly Rule[] = []) {
  return async (written: string): Promise<string> => {
    const jail = await openJail(root, rootPath, { allows: compileRules(rules), secret: [] })
    try {
      await using held = await openPath(jail, normalizePath(written).path)
      return held.path
    } catch (error) {
      return (error as { code: string }).code
    }
  }
}

/** Requests a name in the top folder that is to be created: returns the name, or the code of the error. */
async function fresh(root: string, name: string, rules: readonly Rule[] = []): Promise<string> {
  const jail = await openJail(root, rootPath, { allows: compileRules(rules), secret: [] })
  await using folder = await openPath(jail, rootPath)
  return await newNameIn(jail, folder, name).then(
    (free) => free.name,
    (error) => error.code,
  )
}

const nfc = 'caf\u00e9'
const nfd = 'cafe\u0301'

t.test('on a disk that equates Unicode forms, rules apply to each form of a name', async (t) => {
  const root = mountSpelling(t, 'forms', { [nfd]: { 'a.txt': 'a', 'A.txt': 'b' }, 'Secret.txt': 's' })
  if (root === undefined) return
  t.equal(readFileSync(`${root}/${nfc}/a.txt`, 'utf8'), 'a', 'the disk accepts both forms')
  const free = opener(root)
  for (const form of [nfc, nfd]) {
    t.equal(await free(`/${form}/a.txt`), `/${nfd}/a.txt`)
    t.equal(await opener(root, [deny(`/${form}`)])(`/${nfc}/a.txt`), 'path.forbidden')
    t.equal(await opener(root, [deny(`/${form}`)])(`/${nfd}/a.txt`), 'path.forbidden')
    t.equal(
      await opener(root, [{ ...deny(''), regex: true, regexp: { raw: `^/${form}` } }])(`/${nfd}`),
      'path.forbidden',
    )
  }
  t.equal(await free('/secret.txt'), 'path.unknown', 'case is significant')
  t.equal(await free(`/${nfc}/A.txt`), `/${nfd}/A.txt`)
})

t.test('on a disk with Windows names, only listed names open files', async (t) => {
  const root = mountSpelling(t, 'windows', { 'Secret file.txt': 's', Photos: { 'Summer.jpeg': 'x' } })
  if (root === undefined) return
  t.equal(readFileSync(`${root}/secret~1.txt`, 'utf8'), 's', 'the disk accepts the short name')
  const ask = opener(root)
  t.equal(await ask('/SECRET FILE.txt'), '/Secret file.txt')
  t.equal(await ask('/photos/SUMMER.JPEG'), '/Photos/Summer.jpeg')
  for (const alias of [
    '/secret~1.txt',
    '/SECRET~1.TXT',
    '/Secret file.txt.',
    '/Secret file.txt ',
    '/PHOTOS~1',
  ]) {
    t.equal(await ask(alias), 'path.unknown', alias)
    t.equal(await fresh(root, alias.slice(1)), 'path.forbidden', alias)
  }
  for (const inside of ['/PHOTOS~1/Summer.jpeg', '/Photos./Summer.jpeg', '/Photos/SUMMER~1.JPE']) {
    t.equal(await ask(inside), 'path.unknown', inside)
  }
  t.equal(await fresh(root, 'SECRET FILE.TXT'), 'Secret file.txt', 'an existing entry keeps its spelling')
  t.equal(await fresh(root, 'New.txt'), 'New.txt')
  t.equal(await fresh(root, 'NEW.TXT..', [deny('/new.txt')]), 'path.forbidden')
})

t.test('a spelling that only the disk accepts opens nothing', async (t) => {
  const root = mountSpelling(t, 'strange', { 'open.txt': 'o', deep: { 'x.txt': 'x' } })
  if (root === undefined) return
  t.equal(readFileSync(`${root}/0pen.txt`, 'utf8'), 'o', 'the disk accepts the spelling')
  const ask = opener(root, [deny('/open.txt')])
  t.equal(await ask('/0pen.txt'), 'path.unknown')
  t.equal(await ask('/OPEN.txt'), 'path.forbidden')
  t.equal(await fresh(root, '0PEN.TXT', [deny('/open.txt')]), 'path.forbidden')
  t.equal(await ask('/DEEP/X.TXT'), '/deep/x.txt')
})

t.test('names that Coffer folds to one but the disk does not are two names', async (t) => {
  const root = mountSpelling(t, 'windows', { 'stra\u00dfe': 'sharp', other: '' })
  if (root === undefined) return
  t.equal(await opener(root)('/strasse'), 'path.unknown', 'the disk has no such name')
  t.equal(await fresh(root, 'strasse'), 'strasse', 'so it is free')
  t.equal(await opener(root)('/STRA\u00dfE'), '/stra\u00dfe')
  t.equal(
    await fresh(root, 'strasse', [deny('/stra\u00dfe')]),
    'path.forbidden',
    'a rule that denies covers both',
  )
})

t.test('resolves a scope to the folder as the disk spells it', async (t) => {
  const root = mountSpelling(t, 'windows', { Home: { Alice: { 'a.txt': '' } } })
  if (root === undefined) return
  const jail = await openJail(root, normalizePath('/HOME/alice').path, { allows: () => true, secret: [] })
  t.equal(jail.root, `${root}/Home/Alice`)
  await using name = await locate(jail, childOf(rootPath, 'A.TXT'))
  t.strictSame([name.name, name.asked, name.path], ['a.txt', '/A.TXT', '/a.txt'])
  const short = openJail(root, normalizePath('/HOME~1/alice').path, { allows: () => true, secret: [] })
  await t.rejects(short, { code: 'path.unknown' })
})

t.test('worker threads find the same names', async (t) => {
  const root = mountSpelling(t, 'windows', { Home: { 'A b.txt': '' } })
  if (root === undefined) return
  for (const [typed, real] of [
    ['/HOME/a B.TXT', '/Home/A b.txt'],
    ['/Home/A b.txt', '/Home/A b.txt'],
    ['/Home/AB~1.TXT', undefined],
  ] as const) {
    const place = real && { real: root + real, folds: true }
    t.strictSame(trueNameSync(root + typed), place)
    t.strictSame(await trueName(root + typed), place)
  }
})
