import type { ArchiveAlgorithm } from '#contract/resources.ts'
import type { Person } from '#src/auth/actor.ts'
import type { PartitionedSemaphore } from '#src/core/concurrency/partitioned-semaphore.ts'
import type { Semaphore } from '#src/core/concurrency/semaphore.ts'
import { Problem } from '#src/core/problem.ts'
import type { Archive, Archiver } from '#src/files/archive/archiver.ts'
import { entryName, freeName } from '#src/files/archive/formats/entry-name.ts'
import { hidden } from '#src/files/archive/open-item.ts'
import type { Root } from '#src/files/archive/walk.ts'
import { openPath } from '#src/files/jail/jail.ts'
import type { Jail, OpenPath } from '#src/files/paths/scope.ts'
import { nameOf, type UserPath } from '#src/files/paths/user-path.ts'
import { enterFiles, type Leaving } from '#src/resources/open-files.ts'
import { denialOf, recheckOf } from '#src/resources/resources.policy.ts'
import { commonFolder, selectedPaths } from './selection.ts'

/** An archive that is ready to be sent; it is counted until it is disposed of. */
export interface OpenArchive extends Disposable {
  archive: Archive
  /** The file's name without its suffix. */
  name: string
}

/** Folders and selections as one archive. */
export function createArchives(
  archiver: Archiver,
  { archives: underWay, files: openFiles }: { archives: Semaphore; files: PartitionedSemaphore },
) {
  return {
    /**
     * Finds a folder, or what `files` selects in it, for an archive. Of several things, those that cannot be reached are
     * listed in it, and those that rules deny are left out without a word. Each is opened when its turn comes, and checked
     * again.
     *
     * @param files comma-separated, each percent-encoded, relative to `folder`; undefined or empty for the folder itself
     * @throws Problem `path.invalid`, `request.invalid`, `user.busy`, `server.busy`, or, when nothing can be reached, why
     * the first cannot.
     */
    async open(
      actor: Person,
      folder: UserPath,
      asked: { files: string | undefined; algorithm: ArchiveAlgorithm } & Leaving,
    ): Promise<OpenArchive> {
      const code = denialOf(actor.user.perm, 'read')
      if (code) throw new Problem(code)
      const { algorithm, signal } = asked
      const paths = selectedPaths(folder, asked.files)
      using counted = new DisposableStack()
      counted.use(underWay.acquireNow(actor.payer.key))
      const entering = { kind: 'archive', verb: 'read', paths: [folder], signal } as const
      counted.use(await enterFiles(openFiles, actor, entering))
      const jail = await actor.jail()
      const { root, secret } = jail
      const { chosen, faults } = await chooseAll(jail, paths)
      const { hideDotfiles } = actor.user
      const bounds = { root, secret, rules: actor.rules, hideDotfiles }
      const { name, roots, common } = named(jail, chosen, actor.top)
      const kept = counted.move()
      return {
        name,
        archive: {
          algorithm,
          bounds,
          hideDotfiles,
          recheck: recheckOf(actor, 'read'),
          roots,
          faults: faults.map(({ path, reason }) => ({ entry: path.slice(common.length + 1), reason })),
        },
        [Symbol.dispose]: () => kept.dispose(),
      }
    },
    send: archiver.send,
  }
}

interface Chosen {
  /** As it was asked for. */
  path: UserPath
  isFolder: boolean
}

async function chooseAll(jail: Jail, paths: readonly UserPath[]) {
  const chosen: Chosen[] = []
  const refused: Problem[] = []
  const faults: { path: UserPath; reason: string }[] = []
  for (const path of paths) {
    const thing = await holdPlain(jail, path).catch(asProblem)
    if (!(thing instanceof Error)) {
      chosen.push({ path: thing.spelled, isFolder: thing.stats.isDirectory() })
      await thing.close()
    } else {
      refused.push(thing)
      if (thing.code !== 'path.forbidden') faults.push({ path, reason: reasonOf(thing) })
    }
  }
  const [first] = refused
  if (chosen.length === 0 && first) throw first
  return { chosen, faults }
}

/** Holds a file or a folder. @throws Problem as `openPath` does, and `path.special` for anything else. */
async function holdPlain(jail: Jail, path: UserPath): Promise<OpenPath> {
  const held = await openPath(jail, path)
  if (held.stats.isFile() || held.stats.isDirectory()) return held
  await held.close()
  throw new Problem('path.special', { path })
}

/** Holds what was chosen, now that its turn has come. What cannot be reached any more becomes a line of `_errors.txt`. */
function holdAgain(jail: Jail, path: UserPath): Promise<OpenPath> {
  return holdPlain(jail, path).catch((error: unknown) => {
    const problem = asProblem(error)
    throw problem.code === 'path.forbidden' ? hidden : new Error(reasonOf(problem), { cause: error })
  })
}

function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error
  throw error
}

function reasonOf({ code }: Problem): string {
  if (code === 'path.unknown') return 'it does not exist'
  if (code === 'path.outside') return 'a link that leads out of your folder'
  if (code === 'path.dangling') return 'a link that leads nowhere'
  return code === 'path.special' ? 'neither a file nor a folder' : 'the operating system denies it'
}

/** One folder stands under its own name; of a selection, names begin at the deepest common folder (contract/README.md#raw-content-and-archives). */
function named(
  jail: Jail,
  chosen: readonly Chosen[],
  top = 'archive',
): { name: string; roots: Root[]; common: UserPath } {
  const common = commonFolder(chosen.map(({ path }) => path))
  const [only] = chosen
  const isOneFolder = chosen.length === 1 && only?.isFolder
  const name = nameOf((isOneFolder && only?.path) || common) || top || 'archive'
  const taken = new Set<string>()
  const roots = chosen.map(({ path, isFolder }) => {
    const inside = path.slice(common === '/' ? 1 : common.length + 1) || name
    const plain = inside.split('/').map(entryName).join('/')
    const free = freeName(plain, (each) => taken.has(each))
    taken.add(free)
    return { hold: () => holdAgain(jail, path), path, entry: isFolder ? `${free}/` : free }
  })
  return { name, roots, common: common === '/' ? ('' as UserPath) : common }
}
