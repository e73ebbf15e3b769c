import type { Readable } from 'node:stream'
import { entryOf, removeEntry } from '#src/core/lookup.ts'
import { CommandProblem } from '#src/core/problem.ts'
import type { State } from '#src/state/state.ts'
import type { BackupFile } from './archive/manifest.ts'
import { ignore, readBackup } from './archive/read-backup.ts'
import type { BackupOptions, BackupSources, ReceivedFile, RestoreOptions } from './parts/part.ts'
import { parseState } from './parts/state-part.ts'
import { planRestore, type ReceivedBackup, type RestoreReport, refuseUnknownFiles } from './plan-restore.ts'
import type { MovedFile, Staging, StagingArea } from './staging.ts'

type RestoreSources = BackupSources & {
  staging: Staging
  write: (options: BackupOptions) => Promise<Readable>
}

// The state may change while the present is saved. Then the present is saved again.
const maxTries = 5
const changed = new Error('the state has changed')

/**
 * Restores backups. The state file decides which of the two states is the present. The other parts follow: what they
 * need is on the disk before, and the next start finishes them after a crash.
 */
export function createRestore(sources: RestoreSources) {
  const { document, parts, staging } = sources
  const { finish, finishArea } = createFinish(sources)

  /** Replaces the state, if it is still `before`. Returns whether it did. */
  async function replaceState(before: Readonly<State>, after: State): Promise<boolean> {
    try {
      await document.update((draft) => {
        if (document.data !== before) throw changed
        for (const key of Object.keys(draft)) removeEntry(draft, key)
        Object.assign(draft, after)
      })
      return true
    } catch (error) {
      if (error !== changed) throw error
      return false
    }
  }

  return {
    /** Receives and verifies a backup. Writes only into the area. @throws CommandProblem; Problem `disk.full`. */
    async receive(input: Readable, area: StagingArea): Promise<ReceivedBackup> {
      const files: ReceivedFile[] = []
      const manifest = await readBackup(input, {
        begin: (manifest) => refuseUnknownFiles(manifest, parts),
        async receive(file: BackupFile, content) {
          const copy = String(files.length)
          await area.create(copy, (handle) => handle.writeFile(content))
          files.push({ ...file, copy, read: () => area.read(copy) })
        },
      })
      const content = await files.find(({ part }) => part === 'state')?.read()
      return { manifest, files, state: parseState(content ?? Buffer.alloc(0)) }
    },

    /** Says what `perform` would do. @throws CommandProblem. */
    async preview(backup: ReceivedBackup, options: RestoreOptions): Promise<RestoreReport> {
      return (await planRestore(sources, backup, { options, before: document.data })).report
    },

    /**
     * Saves the present, then replaces it.
     *
     * @throws CommandProblem, Problem. Then nothing has changed.
     */
    async perform(
      backup: ReceivedBackup,
      options: RestoreOptions,
      area: StagingArea,
    ): Promise<RestoreReport> {
      for (let tries = 1; tries <= maxTries; tries++) {
        const before = document.data
        const { report, state, notes } = await planRestore(sources, backup, { options, before })
        await area.note(notes)
        const saved = await savePresent(sources, area)
        let isReplaced = false
        try {
          isReplaced = await replaceState(before, { ...state, restoring: area.id })
        } finally {
          if (!isReplaced) await saved.remove()
        }
        if (isReplaced) return { ...report, before: saved.path, unfinished: await finish(area, notes) }
      }
      throw new CommandProblem('The present state changes too often: restore when fewer users are active.')
    },

    /** Finishes a restore that a crash has interrupted. Only logs what fails, because the server must start. */
    async finishInterrupted(): Promise<void> {
      const areas = await staging.found()
      const { restoring } = document.data
      for (const area of areas) {
        await using _area = area
        if (area.id === restoring) await finishArea(area)
      }
      if (restoring !== undefined && !areas.some(({ id }) => id === restoring)) await finish(undefined, {})
    },
  }
}

/** Puts the other parts in their places, after the state. */
function createFinish({ document, parts, log }: RestoreSources) {
  function unfinished(part: string, err: unknown): string {
    log.error({ err }, `the server cannot finish the restore of a backup: ${part}`)
    const { message } = err as Error
    return `The part ${part} is not restored yet (${message}): the next start of Coffer tries again.`
  }

  async function markFinished(): Promise<void> {
    await document.update((draft) => {
      delete draft.restoring
    })
  }

  /** A later start must not finish this part again: it would undo what has changed since. */
  async function forget(area: StagingArea, name: string): Promise<void> {
    await area.removeNote(name).catch((err: unknown) => {
      log.error({ err }, `the server cannot remove the note of a restored part: ${name}`)
    })
  }

  /** Returns a sentence for each part that failed. Keeps the area then, for the next start. */
  async function finish(area: StagingArea | undefined, notes: Record<string, unknown>): Promise<string[]> {
    const failed: string[] = []
    const attempt = (name: string, work: Promise<void>) =>
      work.catch((err: unknown) => void failed.push(unfinished(name, err)))
    for (const [name, part] of Object.entries(parts)) {
      const note = entryOf(notes, name)
      if (!area || note === undefined) continue
      const work = part.finish(note, area.read, area.place).then(() => forget(area, name))
      await attempt(name, work)
    }
    if (failed.length === 0) await attempt('state', markFinished())
    if (failed.length > 0) area?.keep()
    return failed
  }

  return {
    finish,

    async finishArea(area: StagingArea): Promise<void> {
      const notes = await area.readNotes().catch((err: unknown) => {
        log.error({ err }, 'the server cannot finish the restore of a backup, because its files are damaged')
        return {}
      })
      await finish(area, notes)
    },
  }
}

/** Writes a backup of the present into the folder beside the state, which no user can reach. */
async function savePresent({ write }: RestoreSources, area: StagingArea): Promise<MovedFile> {
  const stream = await write({ sessions: true, history: false })
  await area.create('present', (file) => file.writeFile(stream))
  await readBackup(area.stream('present'), { receive: ignore })
  const time = new Date().toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-')
  return area.moveOut('present', `before-restore-${time}.tar`)
}
