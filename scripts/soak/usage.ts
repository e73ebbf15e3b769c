// What the server uses, from /proc, and the verdict on it.
import { readdir, readFile } from 'node:fs/promises'
import { median } from '../bench/run.ts'

/** What the process uses. Megabytes are millions of bytes. */
export interface Usage {
  /** Resident memory, with pages of files such as the executable itself. */
  readonly rssMb: number
  /** The part of the resident memory that is no page of a file. */
  readonly anonMb: number
  readonly threads: number
  readonly descriptors: number
}

/** Reads what a process uses now. @throws Error when the process has ended. */
export async function readUsage(pid: number): Promise<Usage> {
  const [status, descriptors] = await Promise.all([
    readFile(`/proc/${pid}/status`, 'utf8'),
    readdir(`/proc/${pid}/fd`),
  ]).catch((cause: unknown) => {
    throw new Error('the server has ended, or this system has no /proc', { cause })
  })
  const numberOf = (field: string) => Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(status)?.[1])
  return {
    rssMb: (numberOf('VmRSS') * 1024) / 1e6,
    anonMb: (numberOf('RssAnon') * 1024) / 1e6,
    threads: numberOf('Threads'),
    descriptors: descriptors.length,
  }
}

/** Returns the median of each value: single values depend on the moment, such as just before a garbage collection. */
export function medianUsage(samples: readonly Usage[]): Usage {
  const of = (key: keyof Usage) => median(samples.map((sample) => sample[key]))
  return {
    rssMb: of('rssMb'),
    anonMb: of('anonMb'),
    threads: of('threads'),
    descriptors: of('descriptors'),
  }
}

/** One line of the verdict. `isMet` is undefined for values without a limit. */
export interface Finding {
  readonly text: string
  readonly isMet?: boolean
}

/** Compares the usage at the end with the reference. Less than before is no leak. */
export function compare(reference: Usage, last: Usage): Finding[] {
  return [
    {
      text: `RssAnon: ${mb(reference.anonMb)}, then ${mb(last.anonMb)} (${growth(reference.anonMb, last.anonMb)}, limit +10 %)`,
      isMet: last.anonMb <= reference.anonMb * 1.1,
    },
    { text: `RSS: ${mb(reference.rssMb)}, then ${mb(last.rssMb)} (${growth(reference.rssMb, last.rssMb)})` },
    withCount('descriptors', reference.descriptors, last.descriptors),
    withCount('threads', reference.threads, last.threads),
  ]
}

function withCount(what: string, before: number, after: number): Finding {
  const limit = Math.floor(10 + before * 1.1)
  return { text: `${what}: ${before}, then ${after} (limit ${limit})`, isMet: after <= limit }
}

export function mb(megabytes: number): string {
  return `${megabytes.toFixed(1)} MB`
}

function growth(before: number, after: number): string {
  const percent = (after / before - 1) * 100
  return `${percent < 0 ? '' : '+'}${percent.toFixed(1)} %`
}
