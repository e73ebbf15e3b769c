import { readFileSync } from 'node:fs'
import t from 'tap'
import { flagsHelp, optionsReference } from './help.ts'
import { options, variableOf } from './options/options.ts'

t.test('the manual lists the same options as the program', async (t) => {
  const text = readFileSync(new URL('../manual/options.md', import.meta.url), 'utf8')
  t.ok(
    text.includes(optionsReference()),
    'otherwise run node scripts/with-node.mjs scripts/manual-options.ts',
  )
})

t.test('every option has a unique flag, a variable and a description', async (t) => {
  for (const option of options) {
    t.match(flagsHelp(), `--${option.flag}`)
    t.match(variableOf(option), /^COFFER_[A-Z_]+$/)
    t.match(option.description, /^[A-Z].*\.$/)
  }
  t.equal(new Set(options.map(({ flag }) => flag)).size, options.length)
  const shorts = options.flatMap(({ short }) => short ?? [])
  t.equal(new Set(shorts).size, shorts.length)
  t.strictSame(shorts.sort(), [...'abcdklprt'], 'the short flags of File Browser')
})
