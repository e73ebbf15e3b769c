import { constants } from 'node:fs'
import { open, readdir, readFile, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { flushFolder } from '#src/core/flush-folder.ts'
import { errnoOf, ignoreMissing } from '#src/core/problem.ts'

const infix = '.before-'

/**
 * Copies the state file before something replaces the state. Never overwrites another copy. Returns the path of the copy,
 * which is on the disk then: `FILE.before-import-20261121-090045`, with the time in UTC. Undefined when there is no state
 * file.
 *
 * @param action what replaces the state, such as `import`
 * @param now milliseconds since 1970
 */
export async function copyBefore(file: string, action: string, now: number): Promise<string | undefined> {
  const content = await readFile(file).catch(ignoreMissing)
  if (content === undefined) return undefined
  const time = new Date(now)
    .toISOString()
    .replace(/[-:]|\..*/g, '')
    .replace('T', '-')
  const name = `${file}${infix}${action}-${time}`
  for (let count = 1; ; count++) {
    const copy = count === 1 ? name : `${name}-${count}`
    if (await writeNew(copy, content)) return copy
  }
}

/** Writes a file that does not exist yet. Returns whether it did not. */
async function writeNew(file: string, content: Buffer): Promise<boolean> {
  const { O_WRONLY, O_CREAT, O_EXCL } = constants
  const handle = await open(file, O_WRONLY | O_CREAT | O_EXCL, 0o600).catch((error: unknown) => {
    if (errnoOf(error) !== 'EEXIST') throw error
  })
  if (!handle) return false
  try {
    await using _closed = handle
    await handle.chmod(0o600)
    await handle.writeFile(content)
    await handle.sync()
    await flushFolder(() => open(dirname(file), constants.O_RDONLY))
  } catch (error) {
    await rm(file, { force: true }).catch(() => {}) // the first error is the one to report
    throw error
  }
  return true
}

/** The existing copies of a state file that `copyBefore` has made. They hold secrets, like the state. */
export async function copiesOf(file: string): Promise<string[]> {
  const names = await readdir(dirname(file)).catch(ignoreMissing)
  return (names ?? [])
    .filter((name) => name.startsWith(basename(file) + infix))
    .map((name) => join(dirname(file), name))
}
