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

/** What a line runs with these programs listed, or undefined. */
function plan(line: string, commands: string[], shell: string[] = []) {
  return planOf(splitWords(line) ?? [], line.trim(), { commands, shell })
}

t.test('nobody runs commands without the switch at the start, and nobody without the right', async (t) => {
  t.equal(refusal({ perm: everything }, true), undefined)
  t.equal(refusal({ perm: everything }, false), 'auth.forbidden')
  t.equal(refusal({ perm: { ...everything, admin: false, execute: false } }, true), 'auth.forbidden')
})

t.test('only the exact name in the list counts', async (t) => {
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

t.test('a shell gets plain words of a listed program as its last argument', async (t) => {
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
  'whoever has the shell itself in the list may tell it anything that begins with a listed program',
  async (t) => {
    const shell = ['/bin/bash', '-c']
    t.strictSame(plan('ls | wc -l', ['ls', 'bash'], shell)?.args, ['-c', 'ls | wc -l'])
    t.equal(plan('id | wc -l', ['ls', 'bash'], shell), undefined)
    t.ok(plan('dir', ['dir', 'cmd'], ['C:\\Windows\\System32\\cmd.exe', '/c']))
  },
)
