import type { ArchiveAlgorithm } from '#contract/resources.ts'
import { authorize, recheckOf } from '#src/access/authorize.ts'
import type { Principal } from '#src/access/principal.ts'
import type { PartitionedSemaphore, Semaphore } from '#src/core/concurrency/semaphore.ts'
import { Problem } from '#src/core/problem.ts'
import { acquireDescriptors, type WaitOptions } from '#src/entries/open.ts'
import { type Archive, type Archiver, isForWindows } from '#src/files/archive/archiver.ts'
import type { ArchiveFault } from '#src/files/archive/formats/entry.ts'
import { changedNames, changedReason, createFreeNames } from '#src/files/archive/formats/entry-name.ts'
import { hiddenError, linkFaults } from '#src/files/archive/open-item.ts'
import type { Root } from '#src/files/archive/walk.ts'
import { openPath } from '#src/files/jail/jail.ts'
import type { Jail, OpenPath } from '#src/files/paths/scope.ts'
import { commonFolder, nameOf, type UserPath } from '#src/files/paths/user-path.ts'
import { selectedPaths } from './selection.ts'

/** An archive that is ready to be sent. It counts toward the user's limit until it is disposed. */
export interface OpenArchive extends Disposable {
  archive: Archive
  /** The file name without its suffix. */
  name: string
}

/** Opens archives of folders and selections. */
export function createArchives(
  archiver: Archiver,
  { archives: running, files: openFiles }: { archives: Semaphore; files: PartitionedSemaphore },
) {
  return {
    /**
     * Finds the folder, or the entries that `files` selects in it, for an archive. In a selection, unreachable
     * entries are listed in the archive, and denied entries are left out silently. Each entry is opened and checked
     * again when its turn comes.
     *
     * @param files comma-separated, each percent-encoded, relative to `folder`; undefined or empty for the folder
     *   itself
     * @throws Problem `path.invalid`, `request.invalid`, `user.busy`, `server.busy`; if no entry can be reached, the
     *   reason for the first one.
     */
    async open(
      actor: Principal,
      folder: UserPath,
      asked: { files: string | undefined; algorithm: ArchiveAlgorithm } & WaitOptions,
    ): Promise<OpenArchive> {
      authorize(actor, 'read')
      const { algorithm, signal } = asked
      const paths = selectedPaths(folder, asked.files)
      using permits = new DisposableStack()
      permits.use(running.acquireNow(actor.quotaOwner.key))
      const operation = { kind: 'archive', verb: 'read', paths: [folder], signal } as const
      permits.use(await acquireDescriptors(openFiles, actor, operation))
      const jail = await actor.jail()
      const { root, secret } = jail
      const { selected, faults } = await chooseAll(jail, paths)
      const { hideDotfiles } = actor.user
      const bounds = { root, secret, rules: actor.rules, hideDotfiles }
      const forWindows = isForWindows(algorithm)
      const { name, roots, common, changed } = named(jail, selected, { top: actor.rootName, forWindows })
      const held = permits.move()
      return {
        name,
        archive: {
          algorithm,
          bounds,
          hideDotfiles,
          recheck: recheckOf(actor, 'read'),
          roots,
          faults: [
            ...changed,
            ...faults.map(({ path, reason }) => ({ entry: path.slice(common.length + 1), reason })),
          ],
        },
        [Symbol.dispose]: () => held.dispose(),
      }
    },
    send: archiver.send,
  }
}

interface Selected {
  /** The path as requested. */
  path: UserPath
  isFolder: boolean
}

async function chooseAll(jail: Jail, paths: readonly UserPath[]) {
  const selected: Selected[] = []
  const refused: Problem[] = []
  const faults: { path: UserPath; reason: string }[] = []
  for (const path of paths) {
    const opened = await openPlain(jail, path).catch(asProblem)
    if (!(opened instanceof Error)) {
      selected.push({ path: opened.spelled, isFolder: opened.stats.isDirectory() })
      await opened.close()
    } else {
      refused.push(opened)
      if (opened.code !== 'path.forbidden') faults.push({ path, reason: reasonOf(opened) })
    }
  }
  const [first] = refused
  if (selected.length === 0 && first) throw first
  return { selected, faults }
}

/** Opens a file or a folder. @throws Problem as `openPath` does, and `path.special` for anything else. */
async function openPlain(jail: Jail, path: UserPath): Promise<OpenPath> {
  const held = await openPath(jail, path)
  if (held.stats.isFile() || held.stats.isDirectory()) return held
  await held.close()
  throw new Problem('path.special', { path })
}

/**
 * Opens a selected entry when its turn comes. If it cannot be reached any more, it becomes a line of `_errors.txt`.
 */
function openAgain(jail: Jail, path: UserPath): Promise<OpenPath> {
  return openPlain(jail, path).catch((error: unknown) => {
    const problem = asProblem(error)
    throw problem.code === 'path.forbidden' ? hiddenError : new Error(reasonOf(problem), { cause: error })
  })
}

function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error
  throw error
}

function reasonOf({ code }: Problem): string {
  if (code === 'path.unknown') return 'it does not exist'
  if (code === 'path.outside') return linkFaults.outside
  if (code === 'path.dangling') return linkFaults.broken
  if (code === 'path.link') return linkFaults.loop
  return code === 'path.special' ? 'neither a file nor a folder' : 'the operating system denies access'
}

/**
 * Names the entries. A single folder has its own name. In a selection, names start at the deepest common folder
 * (contract/README.md#raw-content-and-archives). `changed` has the entries that have another name on the server.
 */
function named(
  jail: Jail,
  selected: readonly Selected[],
  { top = 'archive', forWindows }: { top: string | undefined; forWindows: boolean },
): { name: string; roots: Root[]; common: UserPath; changed: ArchiveFault[] } {
  const common = commonFolder(selected.map(({ path }) => path))
  const [first] = selected
  const isOneFolder = selected.length === 1 && first?.isFolder
  const name = nameOf((isOneFolder && first?.path) || common) || top || 'archive'
  const insides = selected.map(({ path }) => path.slice(common === '/' ? 1 : common.length + 1) || name)
  const nameIn = namesOfPaths(insides, forWindows)
  const freeNames = createFreeNames(new Set(), (each) => each)
  const changed: ArchiveFault[] = []
  const roots = selected.map(({ path, isFolder }, at) => {
    const inside = insides[at] ?? ''
    const free = freeNames(nameIn(inside))
    const entry = isFolder ? `${free}/` : free
    if (free !== inside) changed.push({ entry, reason: changedReason(inside) })
    return { open: () => openAgain(jail, path), path, entry }
  })
  return { name, roots, common: common === '/' ? ('' as UserPath) : common, changed }
}

/** Returns a function that names a path in the archive: each folder on the way, and what is in it, as everywhere. */
function namesOfPaths(paths: readonly string[], forWindows: boolean): (path: string) => string {
  const folders = new Map<string, Set<string>>()
  const eachName = (path: string, visit: (name: string, folder: string) => string) => {
    let folder = ''
    const visited = path.split('/').map((name) => {
      const shown = visit(name, folder)
      folder += `/${name}`
      return shown
    })
    return visited.join('/')
  }
  for (const path of paths)
    eachName(path, (name, folder) => {
      folders.set(folder, (folders.get(folder) ?? new Set()).add(name))
      return name
    })
  const changed = new Map(
    [...folders].map(([folder, names]) => [folder, changedNames([...names], forWindows)]),
  )
  return (path) => eachName(path, (name, folder) => changed.get(folder)?.get(name) ?? name)
}
