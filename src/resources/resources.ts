import type { Stats } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import type { FileView } from '#contract/resources.ts'
import type { Person } from '#src/auth/actor.ts'
import { languageOf } from '#src/core/languages.ts'
import type { Locks } from '#src/core/lock.ts'
import { Problem } from '#src/core/problem.ts'
import type { Store } from '#src/core/store.ts'
import { etagOf } from '#src/files/entry.ts'
import { hold } from '#src/files/jail.ts'
import type { Lister } from '#src/files/lister.ts'
import { makeFolder } from '#src/files/make.ts'
import { openHeld } from '#src/files/open-held.ts'
import type { Parts } from '#src/files/parts.ts'
import type { Room } from '#src/files/room.ts'
import { nameOf, type TypedPath, type UserPath } from '#src/files/user-path.ts'
import { writeFile } from '#src/files/write.ts'
import type { Hooks } from '#src/hooks/hooks.ts'
import type { Following } from '#src/shares/follow.ts'
import { betweenHooks } from './hooked.ts'
import { listingOf, viewOf } from './look.ts'
import { permit } from './resources.policy.ts'

/** A file that is open for reading. */
export interface OpenFile {
  file: FileHandle
  stats: Stats
  name: string
  etag: string
  /** As it was asked for, and with links resolved. */
  paths: readonly UserPath[]
  /** Whether names on these paths have several spellings. */
  folds: boolean
}

/** What a written file is to hold, and on what condition. */
export interface Upload {
  fill(file: FileHandle): Promise<unknown>
  /** Throws when the file that is there, or its absence, is not what the writer believes. */
  expects?: ((current: Stats | undefined) => void) | undefined
}

/** Listing, reading and writing of files and folders in a person's scope. */
export function createResources(options: {
  store: Store
  parts: Parts
  locks: Locks
  lister: Lister
  following: Following
  hooks: Hooks
}) {
  const { store, parts, locks, lister, following, hooks } = options

  async function write(
    actor: Person,
    path: UserPath,
    upload: Upload & { overwrite: boolean },
  ): Promise<string> {
    const { fileMode, dirMode } = store.data.settings
    const jail = await actor.jail()
    const writing = { ...upload, fileMode, dirMode }
    return writeFile({ jail, parts, locks }, path, writing)
  }

  /** Links to a file lead to it still when it was saved over. */
  async function follow(actor: Person, path: UserPath, before: Stats): Promise<void> {
    await using held = await hold(await actor.jail(), path)
    await following.saved(before, held.stats)
  }

  return {
    /**
     * A folder as the JSON of a `Listing`, or a file as a `FileView`, with the state of the file that it tells of.
     *
     * @param accepted an `Accept-Language` header: the order of names for who has chosen no language
     * @param room asked before a large text is read into memory
     * @throws Problem as `hold` does, and what `room` does.
     */
    async look(
      actor: Person,
      typed: TypedPath,
      { accepted, room }: { accepted: string | undefined; room: Room },
    ): Promise<{ body: Buffer; stats?: undefined } | { body: FileView; stats: Stats }> {
      permit(actor.user.perm, 'look')
      await using held = await hold(await actor.jail(), typed.path)
      // From here on by its true name, whatever was typed.
      const { spelled: path, stats } = held
      if (stats.isDirectory()) {
        const language = languageOf(actor.user.locale, accepted)
        return { body: await listingOf(lister, actor, { folder: held, typed: { ...typed, path }, language }) }
      }
      return { body: await viewOf(actor, held, { path, room }), stats }
    },

    /** Opens a file for its bytes; the caller closes it. @throws Problem `path.folder`, `path.special`. */
    async open(actor: Person, { path }: TypedPath): Promise<OpenFile> {
      permit(actor.user.perm, 'read')
      await using held = await hold(await actor.jail(), path)
      const file = await openHeld(held)
      const { stats, spelled, folds } = held
      return { file, stats, name: nameOf(spelled), etag: etagOf(stats), paths: [spelled, held.path], folds }
    },

    /**
     * Makes a folder and every missing one above it; stops with the signal.
     *
     * @throws Problem `path.exists` when a file is in the way, `path.deep`.
     */
    async makeFolder(actor: Person, path: UserPath, signal: AbortSignal): Promise<void> {
      permit(actor.user.perm, 'create')
      const folder = await makeFolder(await actor.jail(), path, { mode: store.data.settings.dirMode, signal })
      await folder.close()
    },

    /**
     * Creates a file, or replaces one when `override` is given, which needs the right to modify (reference 3.4).
     *
     * @returns its etag
     * @throws Problem `path.exists`, also for a folder: a file never takes its place.
     */
    async upload(
      actor: Person,
      path: UserPath,
      { override, ...upload }: Upload & { override: boolean },
    ): Promise<string> {
      permit(actor.user.perm, 'create')
      const expects = (current: Stats | undefined) => {
        // Asked again when the body is here, which may be hours later: rights may have been taken away meanwhile.
        permit(actor.user.perm, current && override ? 'replace' : 'create')
        upload.expects?.(current)
      }
      const given = { ...upload, expects }
      return betweenHooks(hooks, { deed: 'upload', person: actor, path }, given, (upload) =>
        write(actor, path, { ...upload, overwrite: override }).catch(folderAsTaken),
      )
    },

    /** Saves a file, or creates it, which needs the right to create as well. @returns its etag */
    async save(actor: Person, { path, asFolder }: TypedPath, upload: Upload): Promise<string> {
      permit(actor.user.perm, 'save')
      if (asFolder) throw new Problem('path.folder', { path })
      let before: Stats | undefined
      const expects = (current: Stats | undefined) => {
        permit(actor.user.perm, current ? 'save' : 'create')
        upload.expects?.(current)
        before = current
      }
      const given = { ...upload, expects }
      return betweenHooks(hooks, { deed: 'save', person: actor, path }, given, async (upload) => {
        const etag = await write(actor, path, { ...upload, overwrite: true })
        if (before) await follow(actor, path, before)
        return etag
      })
    },
  }
}

export type Resources = ReturnType<typeof createResources>

function folderAsTaken(error: unknown): never {
  const isFolder = error instanceof Problem && error.code === 'path.folder'
  throw isFolder ? new Problem('path.exists', error.details, { cause: error }) : error
}
