import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { createOwnerNames } from './owner-names.ts'

t.test('an owner has the name of its account, and its number if there is none', async (t) => {
  const file = join(t.testdir({}), 'passwd')
  writeFileSync(
    file,
    '# comment\nroot:x:0:0:root:/root:/bin/sh\ntoor:x:0:0::/:\n+::::::\n:x:7:7:::\nanna:x:1000:1000\nanna:x:1001:1001:::\n',
  )
  let now = 0
  const owners = createOwnerNames({ file, elapsed: () => now })
  const nameOf = async (owner: number) => (await owners.nameOf())?.(owner)
  t.strictSame(
    [await nameOf(0), await nameOf(1000), await nameOf(1001), await nameOf(7)],
    ['root', 'anna', 'anna', '7'],
  )
  writeFileSync(file, 'ben:x:1000:1000:::\n')
  t.equal(await nameOf(1000), 'anna', 'the list is kept for a minute')
  now += 61_000
  t.equal(await nameOf(1000), 'ben')
})

t.test('a missing list of accounts, and the end of a very long one, are ignored', async (t) => {
  const folder = t.testdir({})
  const missing = createOwnerNames({ file: join(folder, 'none'), elapsed: () => 0 })
  t.equal((await missing.nameOf())?.(5), '5')
  const file = join(folder, 'passwd')
  writeFileSync(file, `first:x:1:1:::\n${'#'.repeat(1024 * 1024)}\nlast:x:2:2:::\n`)
  const long = await createOwnerNames({ file, elapsed: () => 0 }).nameOf()
  t.strictSame([long?.(1), long?.(2)], ['first', '2'])
})
