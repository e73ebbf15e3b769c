import { constants } from 'node:fs'
import { link, open, readFile, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { type Adapter, Low } from 'lowdb'
import { flushFolder } from '#src/core/flush-folder.ts'
import {
  errnoOf,
  ignoreMissing,
  isDiskFull,
  lacksHardLinks,
  Problem,
  problemOf,
  StartupProblem,
} from '#src/core/problem.ts'
import { createSpareFile } from '#src/core/storage/spare-file.ts'
import { writeFlushed } from '#src/core/storage/write-flushed.ts'
import { isNewer, migrate } from './migrations.ts'
import { type SetAside, setAsideDamaged } from './set-aside.ts'
import { type State, stateFault } from './state.ts'

/** The state of the product as a whole: one document, which has one writer at a time. Features use `Store` instead. */
export interface StateDocument {
  readonly data: Readonly<State>
  /**
   * Applies `edit` to a copy, writes the copy durably, then makes it current. When `edit` or the write throws, nothing
   * changes. Returns the result of `edit`.
   *
   * @throws Problem `request.invalid` for a state that the next start would not load. It is not written.
   */
  update<T>(edit: (draft: State) => T): Promise<T>
  /** Calls `listener` after each change. */
  onUpdate(listener: () => void): void
}

/**
 * Opens the state through a lowdb adapter and migrates older versions. Writes `initial` when there is no state.
 *
 * @throws StartupProblem when the content is damaged or of a newer program. It is not changed.
 */
export async function openDocument(
  adapter: Adapter<State>,
  initial: () => Promise<State>,
): Promise<StateDocument> {
  const found = await adapter.read()
  const low = new Low<State>(adapter, frozen(found ?? (await initial())))
  if (!found) await low.write().catch(failWrite)
  let tail: Promise<unknown> = Promise.resolve()
  const listeners: (() => void)[] = []
  const document = {
    // A plain property, because every request reads it several times.
    data: low.data,
    update<T>(edit: (draft: State) => T): Promise<T> {
      // lowdb changes memory before it writes. Here the copy becomes current only after it is on the disk.
      const next = tail.then(async () => {
        const draft = structuredClone(document.data)
        const result = edit(draft)
        refuseInvalid(draft)
        await low.adapter.write(draft)
        document.data = frozen(draft)
        for (const listener of listeners) listener()
        return result
      })
      tail = next.catch(() => {})
      return next
    },
    onUpdate: (listener: () => void) => void listeners.push(listener),
  }
  return document
}

/**
 * Stores the state in `file`, mode 0600. A write creates a temporary file, flushes it, renames it over the old file,
 * and flushes the folder. After a power failure, either the old or the new state exists, never a part of one. The
 * previous state is kept in `file.bak`, and space for one more write in `file.spare`. When the state is read, damaged
 * users and shares are moved to `file.aside`, one JSON object per line.
 *
 * @param onAside called with each record that was moved
 */
export function stateFile(file: string, onAside: (record: SetAside) => void = () => {}): Adapter<State> {
  const spare = createSpareFile(`${file}.spare`)
  return {
    async read() {
      // Leftovers of a killed process hold secrets, and no client got a response for them.
      for (const leftover of [`${file}.new`, `${file}.bak.new`])
        await rm(leftover, { force: true }).catch(() => {})
      const text = await readFile(file, 'utf8').catch(failRead(file))
      if (text === undefined) return null
      const { state, aside } = checkedState(text, file)
      if (aside.length > 0) {
        // In this order, because a kill in between leaves the record in both files, and the next start finds it again.
        await appendAside(`${file}.aside`, aside).catch(failWrite)
        // The backup does not change: it may contain the record from before it was damaged.
        await replace(file, textOf(state)).catch(rethrowForStateFile).catch(failWrite)
        for (const record of aside) onAside(record)
      }
      return state
    },
    async write(state) {
      const text = textOf(state)
      const write = () => replace(file, text, () => keepBackup(file))
      try {
        await write().catch(async (error: unknown) => {
          if (!isDiskFull(error) || !(await spare.remove())) throw error
          await write()
        })
      } catch (error) {
        await spare.keep(0)
        rethrowForStateFile(error)
      }
      await spare.keep(text.length)
    },
  }
}

/**
 * Reads the state in `file` and changes nothing, so that another process may use it meanwhile. Undefined without a state.
 * Leaves out damaged users and shares.
 *
 * @throws StartupProblem when the content is damaged or of a newer program.
 */
export async function readState(file: string): Promise<State | undefined> {
  const text = await readFile(file, 'utf8').catch(failRead(file))
  return text === undefined ? undefined : checkedState(text, file).state
}

/** Freezes a value and everything in it: what the store returns would otherwise change unnoticed, and on no disk. */
function frozen<T extends object>(value: T): T {
  for (const part of Object.values(value)) if (typeof part === 'object' && part !== null) frozen(part)
  return Object.freeze(value)
}

function textOf(state: State): string {
  return `${JSON.stringify(state, null, 2)}\n`
}

function rethrowForStateFile(error: unknown): never {
  throw problemOf(error, 'the state file') ?? error
}

/** Replaces the state file. `prepare` runs when the new content is on the disk, before the rename. */
async function replace(file: string, text: string, prepare = async () => {}): Promise<void> {
  const temporary = `${file}.new`
  try {
    await writeFlushed(temporary, text)
    await prepare()
    await rename(temporary, file)
    await flushFolder(() => open(dirname(file), constants.O_RDONLY))
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {}) // the first error is the one to report
    throw error
  }
}

/** Appends records to a file that is never overwritten. Skips those that it already contains. */
async function appendAside(file: string, aside: readonly SetAside[]): Promise<void> {
  const { O_RDWR, O_APPEND, O_CREAT, O_NOFOLLOW = 0 } = constants
  const lines = aside.map((record) => JSON.stringify(record))
  try {
    await using handle = await open(file, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW, 0o600)
    await handle.chmod(0o600)
    const existing = await handle.readFile('utf8')
    const known = new Set(existing.split('\n'))
    // A partial last line is from an attempt that was killed.
    const separator = existing === '' || existing.endsWith('\n') ? '' : '\n'
    const text = lines.filter((line) => !known.has(line)).map((line) => `${line}\n`)
    if (text.length > 0) await handle.appendFile(separator + text.join(''))
    await handle.sync()
  } catch (error) {
    throw problemOf(error, 'the file of damaged records') ?? error
  }
  await flushFolder(() => open(dirname(file), constants.O_RDONLY))
}

/** Refuses a state that would not load again. @throws Problem `request.invalid`. */
function refuseInvalid(draft: State): void {
  const fault = stateFault(draft)
  if (fault === undefined) return
  const [, field = '', reason = ''] = /([^/]*): (.*)$/s.exec(fault) ?? []
  throw new Problem('request.invalid', { field, reason }, { cause: new Error(`unfit state at ${fault}`) })
}

function failWrite(error: unknown): never {
  if (!(error instanceof Problem)) throw error
  throw new StartupProblem(
    `The state cannot be written (${error.message}): make its folder writable, or set --database to another file.`,
    { cause: error },
  )
}

function failRead(file: string) {
  return (error: unknown) => {
    if (errnoOf(error) === 'ENOENT') return undefined
    throw new StartupProblem(
      `The state file ${file} cannot be read (${errnoOf(error)}): check its owner and permissions.`,
      {
        cause: error,
      },
    )
  }
}

function checkedState(text: string, file: string): { state: State; aside: SetAside[] } {
  const advice = `Replace it with ${file}.bak, the state before the last change, or move both files away to start with a new state.`
  const content = parse(text)
  if (content === undefined)
    throw new StartupProblem(`The state file ${file} is damaged: it is not valid JSON. ${advice}`)
  const state = migrate(content)
  if (state === undefined && isNewer(content)) {
    throw new StartupProblem(
      `The state file ${file} was written by a newer version of Coffer: use that version. ${advice}`,
    )
  }
  if (state === undefined)
    throw new StartupProblem(`The state file ${file} is damaged: it has no version. ${advice}`)
  const usable = setAsideDamaged(state)
  if ('fault' in usable)
    throw new StartupProblem(`The state file ${file} is damaged at ${usable.fault}. ${advice}`)
  return usable
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // the caller reports it with the name of the file
  }
}

async function keepBackup(file: string): Promise<void> {
  const temporary = `${file}.bak.new`
  await rm(temporary, { force: true })
  const isKept = await link(file, temporary).then(
    () => true,
    (error: unknown) => (lacksHardLinks(error) ? copy(file, temporary) : ignoreMissing(error)),
  )
  if (isKept) await rename(temporary, `${file}.bak`)
  // After a kill between the two renames, both names are hard links to one file. rename(2) then does nothing and leaves
  // both.
  await rm(temporary, { force: true })
}

/** For disks without hard links: FAT, some network ones. */
async function copy(file: string, to: string): Promise<boolean> {
  await writeFlushed(to, await readFile(file, 'utf8'))
  return true
}
