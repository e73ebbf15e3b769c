import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'

/** The published attacks, by group and number; each is tried under its number in exactly one file of this folder. */
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

/** Those that need more than a request to be tried, and the test that tries them. */
const elsewhere: Record<string, string> = {
  // A kill in the middle of writing.
  N06: 'src/main.test.ts',
  // A disk that takes every question and never answers.
  J13: 'src/files/paths/remote-mounts.test.ts',
}

const numbers = Object.entries(rows).flatMap(([group, list]) =>
  list.split(' ').map((number) => group + number),
)

/** The numbers at the beginning of each title, file by file. */
const tried = globSync('*.test.ts', { cwd: import.meta.dirname }).flatMap((file) => {
  const text = readFileSync(join(import.meta.dirname, file), 'utf8')
  const titles = [...text.matchAll(/\b(?:row|test)\(\s*['"`]((?:[A-N]\d\d )+)/g)]
  return titles.flatMap(([, list = '']) =>
    list
      .trim()
      .split(' ')
      .map((number) => ({ number, file })),
  )
})

t.test('every published attack is tried, in one file', async (t) => {
  for (const number of numbers) {
    const files = new Set(tried.filter((one) => one.number === number).map(({ file }) => file))
    t.equal(files.size, 1, `${number} is tried in ${[...files].join() || 'no file'}`)
  }
})

t.test('every test of an attack has its number in the list', async (t) => {
  const strangers = tried.filter(({ number }) => !numbers.includes(number))
  t.strictSame(strangers, [])
  for (const number of Object.keys(elsewhere))
    t.notOk(numbers.includes(number), `${number} is either tried here or not`)
})

t.test('what is tried elsewhere is tried there', async (t) => {
  for (const file of Object.values(elsewhere))
    t.ok(existsSync(join(import.meta.dirname, '../..', file)), file)
})
