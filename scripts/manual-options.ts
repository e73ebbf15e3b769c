// node scripts/with-node.mjs scripts/manual-options.ts: writes the options of src/config/options/options.ts into the manual.
import { readFileSync, writeFileSync } from 'node:fs'
import { optionsReference } from '#src/config/help.ts'

const chapter = 'src/manual/options.md'
const text = readFileSync(chapter, 'utf8')
const between = /(?<=<!-- options -->\n)[\s\S]*(?=<!-- \/options -->)/
writeFileSync(
  chapter,
  text.replace(between, () => `${optionsReference()}\n`),
)
