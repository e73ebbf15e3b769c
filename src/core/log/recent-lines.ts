/** The last lines of a log, in memory. */
export interface RecentLines {
  add(line: string): void
  all(): string[]
}

/** Keeps the last lines for a bug report, because a log on standard output cannot be read again. */
export function createRecentLines(limits = { lines: 1000, chars: 256 * 1024 }): RecentLines {
  const kept: string[] = []
  let chars = 0
  return {
    add(line) {
      // One long line must not remove all others.
      const part = line.slice(0, limits.chars / 4)
      kept.push(part)
      chars += part.length
      while (kept.length > limits.lines || chars > limits.chars) chars -= kept.shift()?.length ?? 0
    },
    all: () => [...kept],
  }
}
