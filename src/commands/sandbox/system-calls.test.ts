import { constants } from 'node:os'
import t from 'tap'
import { runInSandbox } from '#src/testing/in-sandbox.ts'
import { openFolder } from '#src/testing/other-user.ts'
import { systemTool } from '#src/testing/system-tool.ts'
import { callNumbers, deniedCalls, systemCallFilter } from './system-calls.ts'

const { EPERM, ENOSYS } = constants.errno

/** Runs a classic BPF program for a system call, as the kernel does. Returns the error; 0: the call is allowed. */
function errorOf(program: Buffer, abi: number, number: number): number {
  const data = [number, abi]
  let word = 0
  for (let at = 0; at < program.length; at += 8) {
    const [code, value] = [program.readUInt16LE(at), program.readUInt32LE(at + 4)]
    const jump = (isTrue: boolean) => {
      at += 8 * program.readUInt8(at + (isTrue ? 2 : 3))
    }
    if (code === 0x20) word = data[value / 4] ?? 0
    else if (code === 0x15) jump(word === value)
    else if (code === 0x35) jump(word >= value)
    else if (code === 0x06) return value === 0x7fff0000 ? 0 : value & 0xffff
    else throw new Error(`unknown code ${code}`)
  }
  throw new Error('the program has no end')
}

t.test('the filter denies these calls on each processor, also when they are made for 32 bits', async (t) => {
  for (const [arch, names] of [
    ['x64', ['x64', 'ia32']],
    ['arm64', ['arm64', 'arm']],
  ] as const) {
    const program = systemCallFilter(arch)
    if (!program) throw new Error(arch)
    for (const name of names) {
      const { abi, numbers } = callNumbers[name]
      const denied = new Set(Object.values(numbers))
      t.strictSame(
        deniedCalls.filter((call) => !(call in numbers)),
        name === 'ia32' ? [] : ['umount'],
        'only 32 bits have the oldest call',
      )
      for (let number = 0; number < 600; number++) {
        t.equal(errorOf(program, abi, number), denied.has(number) ? EPERM : 0, `${name} ${number}`)
      }
      t.equal(errorOf(program, abi, 0x40000000 + 165), ENOSYS)
    }
    t.equal(errorOf(program, 0x12345678, 1), ENOSYS, 'an unknown interface')
  }
  t.equal(systemCallFilter('riscv64'), undefined)
})

t.test('commands in a sandbox of bwrap cannot make these calls', async (t) => {
  const { arch } = process
  if (arch !== 'x64' && arch !== 'arm64') return t.pass('no filter on this processor')
  const numbers = Object.values(callNumbers[arch].numbers)
  const perl = `for (@ARGV) { $! = 0; syscall($_, -1, -1, -1, -1, -1); print $_, " ", $! + 0, "\\n" }`
  const root = openFolder(t)
  const scripts = [
    `${systemTool('perl')} -e '${perl}' ${numbers.join(' ')}`,
    'ls /proc/self/fd | tr "\\n" " "; grep "^Seccomp:" /proc/self/status',
  ]
  const trial = { tool: 'bwrap', root, held: '/etc/passwd', memory: 2 ** 30, hasNetwork: false, scripts } as const
  const tried = await runInSandbox(trial, undefined)
  if ('missing' in tried) return t.pass(`no sandbox here: ${tried.missing}`)
  // 127: the shell did not find the program.
  if (tried[0]?.code === 127) return t.pass('perl is not installed')
  t.strictSame(
    tried[0]?.said.split('\n'),
    numbers.map((number) => `${number} ${EPERM}`),
  )
  // 3 is the folder that `ls` reads.
  t.match(tried[1]?.said, /^0 1 2 3 Seccomp:\s+2$/, 'no descriptor of the server is left')
})
