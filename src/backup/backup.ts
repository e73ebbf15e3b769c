import type { Readable } from 'node:stream'
import { createKeyedLock } from '#src/core/concurrency/keyed-lock.ts'
import { unconditional } from '#src/core/problem.ts'
import { type Content, writeBackup } from './archive/write-backup.ts'
import type { BackupOptions, BackupSources, RestoreOptions } from './parts/part.ts'
import { stateContent } from './parts/state-part.ts'
import { type RestoreReport, refuseUnknownFiles } from './plan-restore.ts'
import { createRestore } from './restore.ts'
import { createStaging } from './staging.ts'

// The manifest has no room for a sentence about each file of a disk.
const mostSentences = 50

/** Writes and restores backups of the state and of everything that belongs to it, except users' files. */
export function createBackup(sources: BackupSources) {
  const { document, parts, binding } = sources
  const locks = createKeyedLock()
  const staging = createStaging(sources.stateFolder)
  const restore = createRestore({ ...sources, staging, write })
  const running = new Set<Promise<unknown>>()

  /** Returns a backup of the present as a stream. */
  async function write(options: BackupOptions): Promise<Readable> {
    using opened = new DisposableStack()
    const contents: (Content & { part: string })[] = [{ part: 'state', ...stateContent(document.data) }]
    const left: string[] = []
    for (const [part, { collect }] of Object.entries(parts)) {
      const found = await collect(options)
      contents.push(...found.contents.map((content) => ({ part, ...content })))
      left.push(...(found.left ?? []))
      if (found.release) opened.defer(found.release)
    }
    const about = { root: await binding.rootIdentity(), left: shortened(left) }
    // What a restore would refuse must not be written.
    const stream = await writeBackup(contents, about, (manifest) => refuseUnknownFiles(manifest, parts))
    const releasing = opened.move()
    stream.once('close', () => releasing.dispose())
    return stream
  }

  return {
    /** Returns a backup as a stream. Waits for a running restore, so that the parts belong together. */
    write: (options: BackupOptions): Promise<Readable> =>
      locks.run('restore', unconditional, () => write(options)),

    /**
     * Verifies a backup and makes it the present, or changes nothing. Another restore waits.
     *
     * @param how.dryRun only verifies, and reports what would change
     * @throws CommandProblem when the backup cannot be used; Problem `disk.full` and others.
     */
    async restore(
      input: Readable,
      how: RestoreOptions & { dryRun: boolean; signal: AbortSignal },
    ): Promise<RestoreReport> {
      const work = receive(input, how)
      running.add(work)
      try {
        return await work
      } finally {
        running.delete(work)
      }
    },

    /** Finishes a restore that a crash has interrupted, and removes what it left. For a start, before anything else. */
    finishInterrupted: restore.finishInterrupted,

    /** Waits until no restore is running. */
    async close(): Promise<void> {
      await Promise.allSettled(running)
    },
  }

  async function receive(
    input: Readable,
    how: RestoreOptions & { dryRun: boolean; signal: AbortSignal },
  ): Promise<RestoreReport> {
    await using area = await staging.open()
    const received = await restore.receive(input, area)
    return await locks.run('restore', unconditional, async () => {
      how.signal.throwIfAborted()
      return how.dryRun ? restore.preview(received, how) : restore.perform(received, how, area)
    })
  }
}

export type Backup = ReturnType<typeof createBackup>

function shortened(sentences: readonly string[]): string[] {
  const shown = sentences
    .slice(0, mostSentences)
    .map((one) => (one.length > 500 ? `${one.slice(0, 500).toWellFormed()}…` : one))
  const more = sentences.length - shown.length
  return more > 0 ? [...shown, `${more} more things are not in the backup.`] : shown
}
