import { entryOf } from '#src/core/lookup.ts'
import { duration, limited, type Parser } from './parsers.ts'

/** A count of at least 1. `0` means infinity: no limit. */
export const count: Parser<number> = {
  parse: (value) => (/^\d{1,6}$/.test(value) ? Number(value) || Number.POSITIVE_INFINITY : undefined),
  expects: 'a number up to 999999, where 0 means no limit',
  nativeType: 'number',
}

/** A count that must have a limit. */
export const positiveCount = limited(count, Number.isFinite, 'a number from 1 to 999999')

/** A count of files or days, which stays small. */
export const smallCount: Parser<number> = {
  parse: (value) => (/^\d{1,3}$/.test(value) && Number(value) > 0 ? Number(value) : undefined),
  expects: 'a number from 1 to 999',
  nativeType: 'number',
}

const units = { '': 1, K: 1024, M: 1024 ** 2, G: 1024 ** 3, T: 1024 ** 4 } as const

/** A size in bytes (`10M`, `1.5G`; units are powers of 1024); `0` is infinity. */
export const size: Parser<number> = {
  parse: (value) => {
    const [, amount, unit = ''] = /^(\d{1,15}(?:\.\d{1,3})?)([KMGT]?)(?:i?B)?$/i.exec(value) ?? []
    if (amount === undefined) return
    const bytes = Math.ceil(Number(amount) * (entryOf(units, unit.toUpperCase()) ?? 1))
    return bytes === 0 ? Number.POSITIVE_INFINITY : bytes
  },
  expects: 'a size such as 500M or 2G, where 0 means no limit',
  nativeType: 'number',
}

/** A size in memory, from `least` to `most` bytes. */
export function sizeBetween(least: number, most: number, words: string): Parser<number> {
  return limited(size, (bytes) => bytes >= least && bytes <= most, `a size from ${words}`)
}

/** A timeout in milliseconds, from one second to a day. */
export const timeout = limited(
  duration,
  (ms) => ms <= 24 * 60 * 60_000,
  'a duration from 1s to 24h, such as 90s or 2m',
)
