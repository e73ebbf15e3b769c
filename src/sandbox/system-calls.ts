import { constants } from 'node:os'

/** System calls that no command needs. Faults in them have given programs the rights of the kernel again and again. */
export const deniedCalls = [
  // The keys of the user who runs the server are not in a namespace.
  ...['add_key', 'request_key', 'keyctl'],
  ...['bpf', 'userfaultfd', 'perf_event_open'],
  ...['io_uring_setup', 'io_uring_enter', 'io_uring_register'],
  ...['mount', 'umount', 'umount2', 'pivot_root', 'open_tree', 'move_mount'],
  ...['fsopen', 'fsconfig', 'fsmount', 'fspick', 'mount_setattr', 'open_tree_attr'],
] as const
type DeniedCall = (typeof deniedCalls)[number]

type Numbers = Readonly<Partial<Record<DeniedCall, number>>>

/** Calls since Linux 5.1 have the same number everywhere. */
const common = {
  io_uring_setup: 425,
  io_uring_enter: 426,
  io_uring_register: 427,
  open_tree: 428,
  move_mount: 429,
  fsopen: 430,
  fsconfig: 431,
  fsmount: 432,
  fspick: 433,
  mount_setattr: 442,
  open_tree_attr: 467,
} as const satisfies Numbers

/**
 * The numbers of the denied calls for each way to call the kernel, by its `AUDIT_ARCH_` value (linux/audit.h,
 * asm/unistd.h). A program for 64 bits may also make calls for 32 bits.
 */
export const callNumbers: Readonly<
  Record<'x64' | 'ia32' | 'arm64' | 'arm', { abi: number; numbers: Numbers }>
> = {
  x64: {
    abi: 0xc000003e,
    numbers: {
      ...common,
      ...{ mount: 165, umount2: 166, pivot_root: 155, add_key: 248, request_key: 249, keyctl: 250 },
      ...{ perf_event_open: 298, bpf: 321, userfaultfd: 323 },
    },
  },
  ia32: {
    abi: 0x40000003,
    numbers: {
      ...common,
      ...{ mount: 21, umount: 22, umount2: 52, pivot_root: 217 },
      ...{ add_key: 286, request_key: 287, keyctl: 288 },
      ...{ perf_event_open: 336, bpf: 357, userfaultfd: 374 },
    },
  },
  arm64: {
    abi: 0xc00000b7,
    numbers: {
      ...common,
      ...{ mount: 40, umount2: 39, pivot_root: 41, add_key: 217, request_key: 218, keyctl: 219 },
      ...{ perf_event_open: 241, bpf: 280, userfaultfd: 282 },
    },
  },
  arm: {
    abi: 0x40000028,
    numbers: {
      ...common,
      ...{ mount: 21, umount2: 52, pivot_root: 218, add_key: 309, request_key: 310, keyctl: 311 },
      ...{ perf_event_open: 364, bpf: 386, userfaultfd: 388 },
    },
  },
}

/** An instruction of a classic BPF program: its code, two jump distances, and a value (linux/filter.h). */
type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, value: number]

// Codes of instructions: load a word, compare and jump, return.
const [load, jumpIfEqual, jumpIfAtLeast, end] = [0x20, 0x15, 0x35, 0x06]
// Offsets in `struct seccomp_data`.
const [numberOffset, abiOffset] = [0, 4]
// Results of the program (linux/seccomp.h).
const allow: Instruction = [end, 0, 0, 0x7fff0000]
const fail = (errno: number): Instruction => [end, 0, 0, 0x00050000 | errno]
const { EPERM, ENOSYS } = constants.errno
// Calls of the x32 interface: numbers of 64 bits with this bit. Hardly any kernel has it.
const x32 = 0x40000000

/**
 * Makes the program that filters system calls (seccomp(2)), for `bwrap --seccomp`. The denied calls fail with EPERM, those
 * of other interfaces with ENOSYS.
 *
 * @returns undefined for a processor whose system calls are not known here
 */
export function systemCallFilter(arch: NodeJS.Architecture = process.arch): Buffer | undefined {
  const interfaces =
    arch === 'x64' ? (['x64', 'ia32'] as const) : arch === 'arm64' ? (['arm64', 'arm'] as const) : []
  if (interfaces.length === 0) return undefined
  const program: Instruction[] = [
    [load, 0, 0, abiOffset],
    ...interfaces.flatMap((name) => section(callNumbers[name])),
    fail(ENOSYS),
  ]
  const bytes = Buffer.alloc(program.length * 8)
  for (const [at, [code, ifTrue, ifFalse, value]] of program.entries()) {
    bytes.writeUInt16LE(code, at * 8)
    bytes.writeUInt8(ifTrue, at * 8 + 2)
    bytes.writeUInt8(ifFalse, at * 8 + 3)
    bytes.writeUInt32LE(value, at * 8 + 4)
  }
  return bytes
}

/** The instructions for one interface. They are skipped for a call of another one. */
function section({ abi, numbers }: { abi: number; numbers: Numbers }): Instruction[] {
  const denied = Object.values(numbers)
  const checks = denied.map((number, at): Instruction => [jumpIfEqual, denied.length - at, 0, number])
  const body: Instruction[] = [
    [load, 0, 0, numberOffset],
    [jumpIfAtLeast, denied.length + 2, 0, x32],
    ...checks,
    allow,
    fail(EPERM),
    fail(ENOSYS),
  ]
  return [[jumpIfEqual, 0, body.length, abi], ...body]
}
