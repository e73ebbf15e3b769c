import { closeSync, mkdirSync, openSync, readdirSync, writeFileSync } from 'node:fs'

/**
 * Creates `levels` nested folders called `name` in `folder`, and the file `deepest.txt` in the last one. Each path
 * that it uses has one name only, so any depth is possible.
 */
export function makeDeepFolders(folder: string, levels: number, name = 'd'): void {
  let fd = openSync(folder, 'r')
  for (let level = 0; level < levels; level++) {
    const below = `/proc/self/fd/${fd}/${name}`
    mkdirSync(below)
    const next = openSync(below, 'r')
    closeSync(fd)
    fd = next
  }
  writeFileSync(`/proc/self/fd/${fd}/deepest.txt`, 'deepest')
  closeSync(fd)
}

/** Runs `work` and returns how many additional descriptors this process had open at most. */
export async function peakDescriptors(work: () => Promise<unknown>): Promise<number> {
  const count = () => readdirSync('/proc/self/fd').length
  const before = count()
  let max = before
  const timer = setInterval(() => {
    max = Math.max(max, count())
  }, 1)
  await work().finally(() => clearInterval(timer))
  return max - before
}
