import { stemLength } from './stem.ts'

/** The `n`th name to try for a second copy: `a.txt`, 2 becomes `a (2).txt`. */
export function freeName(path: string, n: number, isDir = false): string {
  const slash = path.lastIndexOf('/') + 1
  const name = path.slice(slash)
  const length = slash + stemLength(name, isDir)
  return `${path.slice(0, length)} (${n})${path.slice(length)}`
}
