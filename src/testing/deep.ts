import { closeSync, mkdirSync, openSync, readdirSync, writeFileSync } from 'node:fs'

/**
 * Makes `levels` folders called `name`, one in the other, in `folder`, and the file `deepest.txt` in the last one. No path
 * that it uses is longer than one name, so any depth can be made.
 */
export function makeDeep(folder: string, levels: number, name = 'd'): void {
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

/** Does `work` and answers how many descriptors more than before this process had open at most meanwhile. */
export async function mostDescriptors(work: () => Promise<unknown>): Promise<number> {
  const count = () => readdirSync('/proc/self/fd').length
  const before = count()
  let most = before
  const timer = setInterval(() => {
    most = Math.max(most, count())
  }, 1)
  await work().finally(() => clearInterval(timer))
  return most - before
}
