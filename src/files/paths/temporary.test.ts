import t from 'tap'
import { hostileNames } from '#src/testing/names.ts'
import { hasReserved, isReserved, isTemporary, keptName, temporaryName } from './user-path.ts'

t.test('a temporary file has a hidden and unique name', async (t) => {
  const names = Array.from({ length: 1000 }, temporaryName)
  t.equal(new Set(names).size, names.length)
  for (const name of names) t.ok(isTemporary(name) && name.startsWith('.') && !name.includes('/'))
})

t.test('names of the user are never treated as reserved names', async (t) => {
  for (const name of [...hostileNames, '.coffer', '.coffer-kep', 'coffer-part-x', 'x.coffer-part-', '']) {
    t.notOk(isTemporary(name), name)
    t.notOk(isReserved(name), name)
    t.notOk(hasReserved(`/a/${name}/b`), name)
  }
})

t.test('the folders of deleted entries are reserved in any case, and are not temporary', async (t) => {
  for (const name of [keptName, '.COFFER-Kept', `${keptName}-2`, `${keptName}:stream`, '.coffer-\u212aept']) {
    t.ok(isReserved(name), name)
    t.notOk(isTemporary(name), name)
    t.ok(hasReserved(`/a/${name}/b`), name)
    t.ok(hasReserved(`/${name}`), name)
  }
  t.ok(isReserved(temporaryName()))
})
