import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { link, open, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { type Adapter, Low } from 'lowdb'
import { cannotLink, errnoOf, ignoreMissing, isFull, problemOf } from './errno.ts'
import { isNewer, migrate } from './migrations.ts'
import { Problem, StartupProblem } from './problem.ts'
import { type State, stateFault } from './state.ts'

/** The product's state: one document, changed by one writer after another. */
export interface Store {
  readonly data: Readonly<State>
  /**
   * Applies `edit` to a copy, writes it durably, then makes it current. A throw, in `edit` or while writing, changes
   * nothing. Answers what `edit` answers.
   */
  change<T>(edit: (draft: State) => T): Promise<T>
}

/**
 * Opens the state through a lowdb adapter, bringing older versions up to date; `initial` is written when there is none.
 *
 * @throws StartupProblem when the content is damaged or of a newer program; it is left as it was.
 */
export async function openStore(adapter: Adapter<State>, initial: () => Promise<State>): Promise<Store> {
  const found = await adapter.read()
  const low = new Low<State>(adapter, found ?? (await initial()))
  if (!found) await low.write().catch(unwritable)
  let tail: Promise<unknown> = Promise.resolve()
  return {
    get data() {
      return low.data
    },
    change(edit) {
      // lowdb changes memory before it writes; here the written copy becomes the memory only after it is safe.
      const next = tail.then(async () => {
        const draft = structuredClone(low.data)
        const answer = edit(draft)
        await low.adapter.write(draft)
        low.data = draft
        return answer
      })
      tail = next.catch(() => {})
      return next
    },
  }
}

/**
 * Keeps the state in `file`, mode 0600. A write is a temporary file, flushed, renamed over the old one, and the folder
 * flushed: after a power cut there is the old or the new state, never half of one. The state before is kept in
 * `file.bak`, and room for one more write in `file.spare`.
 */
export function stateFile(file: string): Adapter<State> {
  const spare = spareFile(`${file}.spare`)
  return {
    async read() {
      // What a killed program was about to write was not acknowledged to anybody, and holds secrets.
      for (const left of [`${file}.new`, `${file}.bak.new`]) await rm(left, { force: true }).catch(() => {})
      const text = await readFile(file, 'utf8').catch(unreadable(file))
      if (text === undefined) return null
      return checked(text, file)
    },
    async write(state) {
      const text = `${JSON.stringify(state, null, 2)}\n`
      try {
        await replace(file, text).catch(async (error: unknown) => {
          if (!isFull(error) || !(await spare.giveUp())) throw error
          await replace(file, text)
        })
      } catch (error) {
        await spare.keep(0)
        throw problemOf(error, 'the state file') ?? error
      }
      await spare.keep(text.length)
    },
  }
}

async function replace(file: string, text: string): Promise<void> {
  const temporary = `${file}.new`
  try {
    await writeFlushed(temporary, text)
    await keepLastGood(file)
    await rename(temporary, file)
    await flushFolder(dirname(file))
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {}) // the first failure is the one to tell
    throw error
  }
}

/**
 * Removes the spare of the state in `file`, so that its inode can be another's on a disk that has no other. Answers whether
 * there was one; the next write of the state makes it again.
 */
export const giveUpSpare = (file: string) => spareFile(`${file}.spare`).giveUp()

/**
 * A file that is only there to be removed when the disk is full: its blocks and its inode let the state be written once
 * more. The state before is then free, and room for the next spare comes from that.
 */
function spareFile(file: string) {
  let size: number | undefined
  return {
    /** Makes the spare, if it is missing or too small for a state of `bytes`; on a full disk the next write tries again. */
    async keep(bytes: number): Promise<void> {
      size ??= await stat(file).then(
        (stats) => stats.size,
        () => 0,
      )
      if (size >= bytes + smallestSpare / 2) return
      const wanted = Math.max(smallestSpare, 2 * bytes)
      // Random bytes: file systems that compress, or that store zeros as a hole, would keep no room.
      const isKept = await writeFlushed(file, randomBytes(wanted)).then(
        () => true,
        () => false,
      )
      if (!isKept) await rm(file, { force: true }).catch(() => {}) // half a spare would take the room that is missing
      size = isKept ? wanted : 0
    },
    /** Removes it. Answers whether there was one. */
    async giveUp(): Promise<boolean> {
      size = 0
      return rm(file).then(
        () => true,
        () => false,
      )
    },
  }
}

const smallestSpare = 64 * 1024

function unwritable(error: unknown): never {
  if (!(error instanceof Problem)) throw error
  throw new StartupProblem(
    `The state cannot be written (${error.message}): make its folder writable, or give another with --database.`,
    { cause: error },
  )
}

function unreadable(file: string) {
  return (error: unknown) => {
    if (errnoOf(error) === 'ENOENT') return undefined
    throw new StartupProblem(
      `The state file ${file} cannot be read (${errnoOf(error)}); check its owner and mode.`,
      {
        cause: error,
      },
    )
  }
}

function checked(text: string, file: string): State {
  const help = `Put ${file}.bak, the state before the last change, in its place, or move both away to start anew.`
  const content = parse(text)
  if (content === undefined)
    throw new StartupProblem(`The state file ${file} is damaged: it is no JSON. ${help}`)
  const state = migrate(content)
  if (state === undefined && isNewer(content)) {
    throw new StartupProblem(`The state file ${file} was written by a newer Coffer: use that one. ${help}`)
  }
  if (state === undefined)
    throw new StartupProblem(`The state file ${file} is damaged: it has no version. ${help}`)
  const fault = stateFault(state)
  if (fault) throw new StartupProblem(`The state file ${file} is damaged at ${fault}. ${help}`)
  return state as State
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // told by the caller, who knows the file
  }
}

async function writeFlushed(file: string, text: string | Buffer): Promise<void> {
  const { O_WRONLY, O_CREAT, O_TRUNC, O_NOFOLLOW = 0 } = constants
  const handle = await open(file, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0o600)
  try {
    await handle.chmod(0o600)
    await handle.writeFile(text)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

async function keepLastGood(file: string): Promise<void> {
  const spare = `${file}.bak.new`
  await rm(spare, { force: true })
  const isKept = await link(file, spare).then(
    () => true,
    (error: unknown) => (cannotLink(error) ? copy(file, spare) : ignoreMissing(error)),
  )
  if (isKept) await rename(spare, `${file}.bak`)
  // Two names of one file, as after a kill between the two renames: rename(2) then does nothing and leaves both.
  await rm(spare, { force: true })
}

/** For disks without hard links: FAT, some network ones. */
async function copy(file: string, spare: string): Promise<boolean> {
  await writeFlushed(spare, await readFile(file, 'utf8'))
  return true
}

async function flushFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return // folders cannot be opened there; NTFS journals the rename
  const handle = await open(folder, constants.O_RDONLY)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
