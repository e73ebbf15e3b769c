import { execFile, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { systemTool } from '#src/testing/system-tool.ts'
import { run } from './cli.ts'

const execute = promisify(execFile)

/** Why a test that needs this shell is skipped; false: it is here. */
function lacks(shell: 'bash' | 'fish' | 'zsh'): string | false {
  return spawnSync(systemTool(shell), ['--version']).error ? `${shell} is not installed` : false
}

/** Writes the completion script of a shell to a file. */
async function script(t: Test, shell: string): Promise<string> {
  const lines: string[] = []
  const print = (line: string) => void lines.push(line)
  await run(['completion', shell], { command: [], env: {}, stdin: process.stdin, print, warn: print })
  const file = join(t.testdir({}), `coffer.${shell}`)
  writeFileSync(file, `${lines.join('\n')}\n`)
  return file
}

/** Command lines, and words that each must or must not be completed to. The last word is the one to complete. */
const cases: [line: string[], wanted: string[], unwanted: string[]][] = [
  [[''], ['serve', 'users', 'rules', 'completion'], ['users add', '--root']],
  [['us'], ['users'], ['rules']],
  [
    ['users', ''],
    ['add', 'ls', 'passwd', 'export'],
    ['users', '--json'],
  ],
  [['users', 'add', '--perm.a'], ['--perm.admin'], ['--perm.share']],
  [['users', 'passwd', 'bob', '--'], ['--generate', '--json', '--database'], ['--perm.admin']],
  [['--ro'], ['--root'], ['--json']],
  [['systemd', '--log'], ['--log', '--log-format'], ['--json']],
]

t.test('bash completes commands and flags', { skip: lacks('bash') }, async (t) => {
  const file = await script(t, 'bash')
  for (const [line, wanted, unwanted] of cases) {
    const words = ['coffer', ...line].map((word) => `'${word}'`).join(' ')
    const code = `source ${file}; COMP_WORDS=(${words}); COMP_CWORD=${line.length}; _coffer; printf '%s\\n' "\${COMPREPLY[@]}"`
    const { stdout } = await execute(systemTool('bash'), ['-u', '-c', code])
    check(t, line, { found: stdout.split('\n'), wanted, unwanted })
  }
})

t.test('fish completes commands and flags', { skip: lacks('fish') }, async (t) => {
  const file = await script(t, 'fish')
  const asks = cases.map(([line]) => `complete -C 'coffer ${line.join(' ')}'; echo ---`)
  const { stdout } = await execute(systemTool('fish'), [
    '--no-config',
    '-c',
    [`source ${file}`, ...asks].join('\n'),
  ])
  const answers = stdout.split('---\n').map((text) => text.split('\n').map((row) => row.split('\t')[0] ?? ''))
  for (const [at, [line, wanted, unwanted]] of cases.entries())
    check(t, line, { found: answers[at] ?? [], wanted, unwanted })
})

t.test('zsh reads its completion script', { skip: lacks('zsh') }, async (t) => {
  const file = await script(t, 'zsh')
  // The words of `_describe` and the flags of `_arguments` are what zsh shows.
  const stub = `_describe() { print -l -- \${\${(P)2}%%:*} } ; _arguments() { print -l -- \${@%%[=\\[]*} } ; _files() { : } ; compdef() { : }`
  for (const [line, wanted] of cases) {
    const words = ['coffer', ...line].map((word) => `'${word}'`).join(' ')
    const code = `${stub}; source ${file}; words=(${words}); CURRENT=${line.length + 1}; _coffer`
    const { stdout } = await execute(systemTool('zsh'), ['-f', '-c', code])
    check(t, line, { found: stdout.split('\n'), wanted, unwanted: [] })
  }
})

t.test('an unknown shell is refused with the names of the known ones', async (t) => {
  await t.rejects(script(t, 'csh'), { message: /Unknown shell csh: use bash, zsh, fish/ })
})

function check(
  t: Test,
  line: string[],
  { found, wanted, unwanted }: { found: string[]; wanted: string[]; unwanted: string[] },
): void {
  const name = `coffer ${line.join(' ')}`
  for (const word of wanted) t.ok(found.includes(word), `${name} → ${word}`)
  for (const word of unwanted) t.notOk(found.includes(word), `${name} ↛ ${word}`)
}
