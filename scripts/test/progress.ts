import { createUsage, processors } from './machine.ts'
import { expected, type Times } from './times.ts'
import type { FileResult } from './worker.ts'

/** Counts the results of a run and prints them. In a log, that is a line each minute. */
export function createProgress(files: readonly string[], times: Times) {
  const usage = createUsage()
  const start = performance.now()
  const ended: FileResult[] = []
  const count = (key: 'pass' | 'fail' | 'skip') => ended.reduce((sum, result) => sum + result[key], 0)

  /** Estimates the rest from the times of the last run, at the rate of this one. */
  function remainingSeconds(): number {
    const sum = (list: readonly string[]) => list.reduce((sum, file) => sum + expected(file, times), 0)
    const done = sum(ended.map(({ file }) => file))
    const elapsed = (performance.now() - start) / 1000
    return done > 0 ? (elapsed / done) * (sum(files) - done) : Number.NaN
  }

  return {
    add: (result: FileResult) => void ended.push(result),
    counts: () => ({ pass: count('pass'), fail: count('fail'), skip: count('skip') }),
    line(): string {
      const rest = remainingSeconds()
      const left = Number.isNaN(rest) ? '' : `, about ${Math.ceil(rest / 60)} min left`
      return `${ended.length} of ${files.length} files, ${count('pass')} passed, ${count('fail')} failed${left}`
    },
    /** What made the run long: its slowest files, and how much of the processors it used. */
    end(): string {
      const used = Math.round(usage() * processors * 100)
      const seconds = Math.round((performance.now() - start) / 1000)
      const slowest = ended
        .toSorted((a, b) => b.seconds - a.seconds)
        .slice(0, 10)
        .map(({ file, seconds, processor }) => {
          const own = `${processor.toFixed(1).padStart(6)} s of processor`
          return `${seconds.toFixed(1).padStart(7)} s ${own}  ${file}`
        })
      return [
        `The tests ran for ${seconds} s and used ${used} of ${processors * 100} % of the processors. The slowest files:`,
        ...slowest,
      ].join('\n')
    },
  }
}

/** The failed tests of a file with their diagnostics, and the command that runs the file again. */
export function failureText({ file, text }: FileResult): string {
  return `FAIL  ${file}\n${failures(text)}\nRun it alone: npm test -- ${file}\n`
}

/** Each failed test with its diagnostics: from `not ok` to the end of its YAML block. Comments are output of the process. */
function failures(text: string): string {
  const blocks = /^ *not ok (?!.*# (?:TODO|SKIP)).*\n(?: *---\n[\s\S]*?\n *\.\.\.\n)?|^# (?!Subtest).*\n?/gm
  return [...text.matchAll(blocks)].join('\n')
}
