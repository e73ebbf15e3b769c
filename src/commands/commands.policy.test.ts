import t from 'tap'
import { planOf, refusal } from './commands.policy.ts'
import { splitWords } from './split-words.ts'

const everything = {
  admin: true,
  execute: true,
  create: true,
  rename: true,
  modify: true,
  delete: true,
  share: true,
  download: true,
}

/** Returns what a command line runs when these programs are listed, or undefined. */
function plan(line: string, commands: string[], shell: string[] = []) {
  return planOf(splitWords(line) ?? [], line.trim(), { commands, shell })
}

t.test(
  'only users with the permission run commands, and only when the server was started with commands enabled',
  async (t) => {
    t.equal(refusal({ perm: everything }, true), undefined)
    t.equal(refusal({ perm: everything }, false), 'auth.forbidden')
    t.equal(refusal({ perm: { ...everything, admin: false, execute: false } }, true), 'auth.forbidden')
  },
)

t.test('only the exact name of a listed program is accepted', async (t) => {
  t.strictSame(plan('ls -l', ['ls']), { program: 'ls', args: ['-l'] })
  for (const line of [
    'lsblk',
    'LS',
    '/bin/ls',
    './ls',
    'l',
    'ls;id',
    'ls&',
    '',
    ' ',
    'ls\\;',
    'X=1 ls',
    '"ls -l"',
  ]) {
    t.equal(plan(line, ['ls']), undefined, line)
  }
  t.equal(plan('ls', []), undefined, 'an empty list allows nothing')
})

t.test('a shell gets plain words that begin with a listed program as its last argument', async (t) => {
  const shell = ['/bin/bash', '-c']
  t.strictSame(plan("ls -l *.txt 'a b'", ['ls'], shell), {
    program: '/bin/bash',
    args: ['-c', "ls -l *.txt 'a b'"],
  })
  const tricks = [
    'ls; id',
    'ls && id',
    'ls | sh',
    'ls $(id)',
    'ls `id`',
    'ls > p',
    'ls\nid',
    'ls & id',
    'ls <(id)',
  ]
  const more = [
    'ls ${x}',
    'ls \\; id',
    'ls "$(id)"',
    'ls {a,b}',
    'ls !!',
    'ls ^& id',
    'ls %COMSPEC%',
    'ls\rid',
    'ls\tid',
    '"ls" x',
  ]
  for (const line of [...tricks, ...more]) t.equal(plan(line, ['ls'], shell), undefined, line)
})

t.test(
  'a user with the shell itself in the list may run any shell script that begins with a listed program',
  async (t) => {
    const shell = ['/bin/bash', '-c']
    t.strictSame(plan('ls | wc -l', ['ls', 'bash'], shell)?.args, ['-c', 'ls | wc -l'])
    t.equal(plan('id | wc -l', ['ls', 'bash'], shell), undefined)
    t.ok(plan('dir', ['dir', 'cmd'], ['C:\\Windows\\System32\\cmd.exe', '/c']))
  },
)
