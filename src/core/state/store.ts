import { constants } from 'node:fs'
import { link, open, readFile, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { type Adapter, Low } from 'lowdb'
import { cannotLink, errnoOf, ignoreMissing, isFull, problemOf } from '#src/core/errno.ts'
import { flushFolder } from '#src/core/flush-folder.ts'
import { Problem, StartupProblem } from '#src/core/problem.ts'
import { isNewer, migrate } from './migrations.ts'
import { type SetAside, setAsideDamaged } from './set-aside.ts'
import { spareFile } from './spare-file.ts'
import { type State, stateFault } from './state.ts'
import { writeFlushed } from './write-flushed.ts'

/** The product's state: one document, changed by one writer after another. */
export interface Store {
  readonly data: Readonly<State>
  /**
   * Applies `edit` to a copy, writes it durably, then makes it current. A throw, in `edit` or while writing, changes
   * nothing. Answers what `edit` answers.
   *
   * @throws Problem `request.invalid` for a state that the next start would not load; it is not written.
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
        refuseUnfit(draft)
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
 * `file.bak`, and room for one more write in `file.spare`. Damaged users and links are moved to `file.aside`, one JSON
 * object a line, when the state is read.
 *
 * @param onAside is told of each record that was set aside
 */
export function stateFile(file: string, onAside: (record: SetAside) => void = () => {}): Adapter<State> {
  const spare = spareFile(`${file}.spare`)
  return {
    async read() {
      // What a killed program was about to write was not acknowledged to anybody, and holds secrets.
      for (const left of [`${file}.new`, `${file}.bak.new`]) await rm(left, { force: true }).catch(() => {})
      const text = await readFile(file, 'utf8').catch(unreadable(file))
      if (text === undefined) return null
      const { state, aside } = checked(text, file)
      if (aside.length > 0) {
        // In this order: a kill in between leaves the record in both files, and the next start finds it again.
        await appendAside(`${file}.aside`, aside).catch(unwritable)
        // The copy stays as it is: it may hold the record from before it was damaged.
        await replace(file, textOf(state)).catch(asStateFile).catch(unwritable)
        for (const record of aside) onAside(record)
      }
      return state
    },
    async write(state) {
      const text = textOf(state)
      const put = () => replace(file, text, () => keepLastGood(file))
      try {
        await put().catch(async (error: unknown) => {
          if (!isFull(error) || !(await spare.giveUp())) throw error
          await put()
        })
      } catch (error) {
        await spare.keep(0)
        asStateFile(error)
      }
      await spare.keep(text.length)
    },
  }
}

function textOf(state: State): string {
  return `${JSON.stringify(state, null, 2)}\n`
}

function asStateFile(error: unknown): never {
  throw problemOf(error, 'the state file') ?? error
}

/** Replaces the state file; `prepare` runs when the new content is on the disk, before it gets its name. */
async function replace(file: string, text: string, prepare = async () => {}): Promise<void> {
  const temporary = `${file}.new`
  try {
    await writeFlushed(temporary, text)
    await prepare()
    await rename(temporary, file)
    await flushFolder(() => open(dirname(file), constants.O_RDONLY))
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {}) // the first failure is the one to tell
    throw error
  }
}

/** Adds records to the end of a file that is never overwritten; those that it has already are left out. */
async function appendAside(file: string, aside: readonly SetAside[]): Promise<void> {
  const { O_RDWR, O_APPEND, O_CREAT, O_NOFOLLOW = 0 } = constants
  const lines = aside.map((record) => JSON.stringify(record))
  try {
    await using handle = await open(file, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW, 0o600)
    await handle.chmod(0o600)
    const there = await handle.readFile('utf8')
    const known = new Set(there.split('\n'))
    // Half a line is what a kill has left of an earlier attempt.
    const begin = there === '' || there.endsWith('\n') ? '' : '\n'
    const text = lines.filter((line) => !known.has(line)).map((line) => `${line}\n`)
    if (text.length > 0) await handle.appendFile(begin + text.join(''))
    await handle.sync()
  } catch (error) {
    throw problemOf(error, 'the file of damaged records') ?? error
  }
  await flushFolder(() => open(dirname(file), constants.O_RDONLY))
}

/** @throws Problem `request.invalid` for a state that would not load again: it must not be written. */
function refuseUnfit(draft: State): void {
  const fault = stateFault(draft)
  if (fault === undefined) return
  const [, field = '', reason = ''] = /([^/]*): (.*)$/s.exec(fault) ?? []
  throw new Problem('request.invalid', { field, reason }, { cause: new Error(`unfit state at ${fault}`) })
}

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

function checked(text: string, file: string): { state: State; aside: SetAside[] } {
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
  const usable = setAsideDamaged(state)
  if ('fault' in usable)
    throw new StartupProblem(`The state file ${file} is damaged at ${usable.fault}. ${help}`)
  return usable
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // told by the caller, who knows the file
  }
}

async function keepLastGood(file: string): Promise<void> {
  const temporary = `${file}.bak.new`
  await rm(temporary, { force: true })
  const isKept = await link(file, temporary).then(
    () => true,
    (error: unknown) => (cannotLink(error) ? copy(file, temporary) : ignoreMissing(error)),
  )
  if (isKept) await rename(temporary, `${file}.bak`)
  // Two names of one file, as after a kill between the two renames: rename(2) then does nothing and leaves both.
  await rm(temporary, { force: true })
}

/** For disks without hard links: FAT, some network ones. */
async function copy(file: string, to: string): Promise<boolean> {
  await writeFlushed(to, await readFile(file, 'utf8'))
  return true
}
