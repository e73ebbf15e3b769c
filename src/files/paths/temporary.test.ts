import t from 'tap'
import { hostileNames } from '#src/testing/names.ts'
import { isTemporary, temporaryName } from './temporary.ts'

t.test('a temporary file has a hidden and unique name', async (t) => {
  const names = Array.from({ length: 1000 }, temporaryName)
  t.equal(new Set(names).size, names.length)
  for (const name of names) t.ok(isTemporary(name) && name.startsWith('.') && !name.includes('/'))
})

t.test('names of the user are never treated as temporary names', async (t) => {
  for (const name of [...hostileNames, '.coffer', 'coffer-part-x', 'x.coffer-part-', '']) {
    t.notOk(isTemporary(name), name)
  }
})
