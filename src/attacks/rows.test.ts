import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'

/** The published attacks, by group and number. Each is tested under its number in exactly one file of this folder. */
const rows: Record<string, string> = {
  A: '01 02 03 06 07 08 09 11 12 13 14 15 16 17 18',
  B: '01 02 03 04 05 08',
  C: '01 02 04 05 06 07 08 10 11 12 14 15',
  D: '01 02 03 05 06 07 08 09 14 16 17 18 20 21',
  E: '01 03 04 05 07 08 09 11 12 14 15 16 17 19 20 21 23 24',
  F: '01 02 03 04 05 06 07 08 09 10 11 12 13 14 16 17 19',
  G: '01 02 03 05 06 10 11',
  H: '01 02 03 04 05 07 08 09 11 12 13 14 15 17',
  I: '01 02 03 04 05 06 07',
  J: '01 03 04 05 06 07 08 09 10 11 12',
  K: '01 02 03 06 07 08 09 10 11 12 13',
  L: '01 02 03 04 05 06',
  M: '01 02 03 06 08',
  N: '01 02 04 05 07 08 09 10 11 13 15',
}

/** Attacks that need more than a request, and the file of their test. */
const elsewhere: Record<string, string> = {
  // A kill during a write.
  N06: 'src/start/main.test.ts',
  // A disk that accepts every call and never returns.
  J13: 'src/files/paths/remote-mounts.test.ts',
}

const numbers = Object.entries(rows).flatMap(([group, list]) =>
  list.split(' ').map((number) => group + number),
)

/** The numbers at the start of each title, by file. */
const tested = globSync('*.test.ts', { cwd: import.meta.dirname }).flatMap((file) => {
  const text = readFileSync(join(import.meta.dirname, file), 'utf8')
  const titles = [...text.matchAll(/\b(?:row|test)\(\s*['"`]((?:[A-N]\d\d )+)/g)]
  return titles.flatMap(([, list = '']) =>
    list
      .trim()
      .split(' ')
      .map((number) => ({ number, file })),
  )
})

t.test('every published attack is tested, in one file', async (t) => {
  for (const number of numbers) {
    const files = new Set(tested.filter((one) => one.number === number).map(({ file }) => file))
    t.equal(files.size, 1, `${number} is tested in ${[...files].join() || 'no file'}`)
  }
})

t.test('every test of an attack has its number in the list', async (t) => {
  const unlisted = tested.filter(({ number }) => !numbers.includes(number))
  t.strictSame(unlisted, [])
  for (const number of Object.keys(elsewhere))
    t.notOk(numbers.includes(number), `${number} is tested either here or elsewhere`)
})

t.test('the tests outside this folder exist', async (t) => {
  for (const file of Object.values(elsewhere))
    t.ok(existsSync(join(import.meta.dirname, '../..', file)), file)
})
