// node scripts/with-node.mjs scripts/readme.ts: writes the options of src/config/options/options.ts into README.md.
import { readFileSync, writeFileSync } from 'node:fs'
import { optionsReference } from '#src/config/help.ts'

const text = readFileSync('README.md', 'utf8')
const between = /(?<=<!-- options -->\n)[\s\S]*(?=<!-- \/options -->)/
writeFileSync(
  'README.md',
  text.replace(between, () => `${optionsReference()}\n`),
)
