import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { copiesOf, copyBefore } from './backups.ts'

const now = Date.UTC(2026, 10, 21, 9, 0, 45)

t.test('a copy of the state has the time in its name, is private and is never overwritten', async (t) => {
  const folder = t.testdir({ 'a.json': 'one', 'a.json.bak': '', 'b.json.before-import-1': '' })
  const file = join(folder, 'a.json')
  const first = await copyBefore(file, 'import', now)
  t.equal(first, `${file}.before-import-20261121-090045`)
  writeFileSync(file, 'two')
  const second = await copyBefore(file, 'import', now)
  t.equal(second, `${first}-2`)
  t.equal(readFileSync(first ?? '', 'utf8'), 'one')
  t.equal(readFileSync(second ?? '', 'utf8'), 'two')
  t.equal(statSync(first ?? '').mode & 0o777, 0o600)
  t.strictSame((await copiesOf(file)).sort(), [first, second])
})

t.test('without a state there is nothing to copy', async (t) => {
  const file = join(t.testdir({}), 'a.json')
  t.equal(await copyBefore(file, 'import', now), undefined)
  t.strictSame(await copiesOf(join(file, 'none', 'a.json')), [])
})
