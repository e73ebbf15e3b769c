// Prints the test files that the changes since the last commit concern, one a line. `npm test -- --changed` runs them.
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { testsOf } from './import-graph.ts'

const changed = [
  ...git('diff', '--name-only', '--relative', 'HEAD'),
  ...git('ls-files', '--others', '--exclude-standard'),
]
for (const { file } of testsOf(changed)) if (existsSync(file)) console.log(file)

function git(...words: string[]): string[] {
  return execFileSync('git', words, { encoding: 'utf8' }).split('\n').filter(Boolean)
}
