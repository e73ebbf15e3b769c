import { readFileSync } from 'node:fs'

/** The lines of level ERROR and FATAL in a log file in text, each with the lines of its stack. */
export function errorLines(file: string): string[] {
  const lines = readFileSync(file, 'utf8').split('\n')
  return lines.flatMap((line, at) => {
    if (!/^\S+ (?:ERROR|FATAL) /.test(line)) return []
    const next = lines.slice(at + 1).findIndex((one) => !one.startsWith('    | '))
    return [lines.slice(at, at + 1 + Math.max(next, 0)).join('\n')]
  })
}
