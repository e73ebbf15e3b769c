// How long each test file took, kept for the order of the next run and its estimate.
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'

const cache = path.join(import.meta.dirname, '../../node_modules/.cache/test-times.json')

/** Seconds by file. */
export type Times = Record<string, number>

export function readTimes(): Times {
  try {
    return JSON.parse(readFileSync(cache, 'utf8'))
  } catch {
    return {}
  }
}

export function saveTimes(times: Times): void {
  mkdirSync(path.dirname(cache), { recursive: true })
  writeFileSync(cache, JSON.stringify(times, undefined, 1))
}

/** Sorts files so that the longest run first, and the last ones end at about the same time. */
export function longestFirst(files: readonly string[], times: Times): string[] {
  return files.toSorted((a, b) => expected(b, times) - expected(a, times))
}

/** The seconds that a file is expected to take. */
export const expected = (file: string, times: Times) => times[file] ?? estimate(file)

/** Without a run before: a page test needs about a second for each 1,000 bytes, another a fifth of this. */
const estimate = (file: string) => statSync(file).size / (/^(web|bin)\b/.test(file) ? 1000 : 5000)
