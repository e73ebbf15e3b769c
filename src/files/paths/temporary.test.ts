import t from 'tap'
import { hostileNames } from '#src/testing/names.ts'
import { isTemporary, temporaryName } from './temporary.ts'

t.test('a file that is still written has a hidden name that nobody else has', async (t) => {
  const names = Array.from({ length: 1000 }, temporaryName)
  t.equal(new Set(names).size, names.length)
  for (const name of names) t.ok(isTemporary(name) && name.startsWith('.') && !name.includes('/'))
})

t.test("a person's own names are never taken for temporary ones", async (t) => {
  for (const name of [...hostileNames, '.coffer', 'coffer-part-x', 'x.coffer-part-', '']) {
    t.notOk(isTemporary(name), name)
  }
})
