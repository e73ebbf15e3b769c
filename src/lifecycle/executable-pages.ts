import { readFileSync } from 'node:fs'
import { lazyLibc } from '#src/core/libc.ts'

/** A part of this process's memory, in bytes. */
export interface Mapping {
  start: bigint
  length: bigint
}

// madvise(2): MADV_DONTNEED. The pages of a file stay in the page cache; only this process no longer refers to them.
const dontNeed = 4
const load = lazyLibc({ madvise: { arguments: ['uint64', 'uint64', 'int32'], return: 'int32' } })

/**
 * Unmaps the pages of the executable. A page that is used again is mapped again from the page cache. The executable has
 * 125 MB, and the kernel maps 64 KiB around each address that is used. After a start, about 70 MB are mapped, and most
 * of them are not used again. Only on Linux.
 */
export function releaseExecutablePages(): void {
  const madvise = process.platform === 'linux' ? load()?.madvise : undefined
  if (!madvise) return
  for (const { start, length } of executableMappings()) madvise(start, length, dontNeed)
}

/** The read-only mappings of the executable in which this process has changed no page. */
export function executableMappings(program = process.execPath): Mapping[] {
  // Each mapping has a line with its addresses, then lines with its figures, in KiB (proc_pid_smaps(5)).
  const mappings = readFileSync('/proc/self/smaps', 'utf8').split(/^(?=[\da-f]+-[\da-f]+ )/m)
  return mappings.flatMap((text) => {
    const [, from, to, name] = /^(\w+)-(\w+) r-[-x]p \w+ \S+ \d+ +(.*)$/m.exec(text) ?? []
    if (name !== program || !/^Anonymous: +0 kB$/m.test(text)) return []
    const start = BigInt(`0x${from}`)
    return [{ start, length: BigInt(`0x${to}`) - start }]
  })
}
