import { constants } from 'node:os'
import t from 'tap'
import { runInSandbox } from '#src/testing/in-sandbox.ts'
import { openFolder } from '#src/testing/other-user.ts'
import { systemTool } from '#src/testing/system-tool.ts'
import { callNumbers, deniedCalls, systemCallFilter } from './system-calls.ts'

const { EPERM, ENOSYS } = constants.errno

const conditions: Readonly<Record<number, (word: number, value: number) => boolean>> = {
  21: (word, value) => word === value,
  53: (word, value) => word >= value,
}
const results = new Map([
  [0x7fff0000, 0],
  [0x00050000 | EPERM, EPERM],
  [0x00050000 | ENOSYS, ENOSYS],
])

/** Runs a classic BPF program for a system call, as the kernel does. Returns the error; 0: the call is allowed. */
function errorOf(program: Buffer, abi: number, number: number): number | undefined {
  const data = [number, abi]
  let word = 0
  for (let at = 0; ; at += 8) {
    const [code, value] = [program.readUInt16LE(at), program.readUInt32LE(at + 4)]
    if (code === 0x06) return results.get(value)
    if (code === 0x20) word = data[value / 4] ?? 0
    else at += 8 * program.readUInt8(at + (conditions[code]?.(word, value) ? 2 : 3))
  }
}

for (const [arch, names] of [
  ['x64', ['x64', 'ia32']],
  ['arm64', ['arm64', 'arm']],
] as const) {
  t.test(`the filter denies these calls on ${arch}, also when they are made for 32 bits`, async (t) => {
    const program = systemCallFilter(arch) ?? Buffer.alloc(0)
    for (const name of names) {
      const { abi, numbers } = callNumbers[name]
      const denied = new Set<number>(Object.values(numbers))
      const missing = name === 'ia32' ? [] : ['umount']
      t.strictSame(
        deniedCalls.filter((call) => !(call in numbers)),
        missing,
        'only ia32 has the oldest call',
      )
      const errors = Array.from({ length: 600 }, (_, number) => errorOf(program, abi, number))
      t.strictSame(
        errors,
        errors.map((_, number) => (denied.has(number) ? EPERM : 0)),
        name,
      )
      t.equal(errorOf(program, abi, 0x40000000 + 165), ENOSYS)
    }
    t.equal(errorOf(program, 0x12345678, 1), ENOSYS, 'an unknown interface')
  })
}

t.test('there is no filter for a processor whose calls are not known', async (t) => {
  t.equal(systemCallFilter('riscv64'), undefined)
})

t.test('commands in a sandbox of bwrap cannot make these calls', async (t) => {
  const { arch } = process
  if (arch !== 'x64' && arch !== 'arm64') {
    t.pass('no filter on this processor')
    return
  }
  const numbers = Object.values(callNumbers[arch].numbers)
  const perl = `for (@ARGV) { $! = 0; syscall($_, -1, -1, -1, -1, -1); print $_, " ", $! + 0, "\\n" }`
  const root = openFolder(t)
  const scripts = [
    `${systemTool('perl')} -e '${perl}' ${numbers.join(' ')}`,
    'readlink /proc/$$/fd/3 || echo none; grep "^Seccomp:" /proc/self/status',
  ]
  const trial = {
    tool: 'bwrap',
    root,
    held: '/etc/passwd',
    memory: 2 ** 30,
    hasNetwork: false,
    scripts,
  } as const
  const tried = await runInSandbox(trial, undefined)
  if ('missing' in tried) {
    t.pass(`no sandbox here: ${tried.missing}`)
    return
  }
  // 127: the shell did not find the program.
  if (tried[0]?.code === 127) {
    t.pass('perl is not installed')
    return
  }
  t.strictSame(
    tried[0]?.said.split('\n'),
    numbers.map((number) => `${number} ${EPERM}`),
  )
  t.match(tried[1]?.said, /^none\nSeccomp:\s+2$/, 'the descriptor with the filter is closed')
})
