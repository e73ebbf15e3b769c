import { readFileSync } from 'node:fs'
import t from 'tap'
import { flagsHelp, optionsReference } from './help.ts'
import { options, variableOf } from './options.ts'

t.test('the README lists the options as the program knows them', async (t) => {
  const text = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')
  t.ok(text.includes(optionsReference()), 'otherwise run node scripts/with-node.mjs scripts/readme.ts')
})

t.test('every option has a flag of its own, a variable and a sentence', async (t) => {
  for (const option of options) {
    t.match(flagsHelp(), `--${option.flag}`)
    t.match(variableOf(option), /^COFFER_[A-Z_]+$/)
    t.match(option.sentence, /^[A-Z].*\.$/)
  }
  t.equal(new Set(options.map(({ flag }) => flag)).size, options.length)
  const shorts = options.flatMap(({ short }) => short ?? [])
  t.equal(new Set(shorts).size, shorts.length)
  t.strictSame(shorts.sort(), [...'abcdklprt'], 'the letters that users of File Browser know')
})
