import type { ArchiveAlgorithm } from '#contract/resources.ts'
import type { Person } from '#src/auth/actor.ts'
import type { Places } from '#src/core/places.ts'
import { Problem } from '#src/core/problem.ts'
import type { Archive, Archiver } from '#src/files/archive/archiver.ts'
import { entryName, freeName } from '#src/files/archive/entry-name.ts'
import type { Root } from '#src/files/archive/walk.ts'
import { type Held, hold, type Jail } from '#src/files/jail.ts'
import { nameOf, type UserPath } from '#src/files/user-path.ts'
import { refusal } from './resources.policy.ts'
import { commonFolder, selectedPaths } from './selection.ts'

/** An archive that is ready to be sent; closing lets go of what it holds open. */
export interface OpenArchive extends AsyncDisposable {
  archive: Archive
  /** The file's name without its suffix. */
  name: string
}

/** Folders and selections as one archive. */
export function createArchives(archiver: Archiver, places: Places) {
  return {
    /**
     * Holds a folder, or what `files` selects in it, for an archive. Of several things, those that cannot be held are
     * listed in it, and those that rules deny are left out without a word.
     *
     * @param files comma-separated, each percent-encoded, relative to `folder`; undefined or empty for the folder itself
     * @param who whom it is counted for
     * @throws Problem `path.invalid`, `request.invalid`, `user.busy`, `server.busy`, or, when nothing can be held, why the
     * first cannot.
     */
    async open(
      actor: Person,
      folder: UserPath,
      { files, algorithm, who }: { files: string | undefined; algorithm: ArchiveAlgorithm; who: string },
    ): Promise<OpenArchive> {
      const code = refusal(actor.user.perm, 'read')
      if (code) throw new Problem(code)
      const place = places.enter(who)
      try {
        const { root, secret, ...jail } = await actor.jail()
        const paths = selectedPaths(folder, files)
        const { held, faults } = await holdAll({ ...jail, root, secret }, paths)
        const { hideDotfiles } = actor.user
        const bounds = { root, secret, rules: actor.rules, hideDotfiles }
        const { name, roots, common } = named(held, actor.top)
        return {
          name,
          archive: {
            algorithm,
            bounds,
            hideDotfiles,
            roots,
            faults: faults.map(({ path, reason }) => ({ entry: path.slice(common.length + 1), reason })),
          },
          async [Symbol.asyncDispose]() {
            place[Symbol.dispose]()
            for (const each of held) await each.held.close()
          },
        }
      } catch (error) {
        place[Symbol.dispose]()
        throw error
      }
    },
    send: archiver.send,
  }
}

interface Chosen {
  /** As it was asked for. */
  path: UserPath
  held: Held
}

async function holdAll(jail: Jail, paths: readonly UserPath[]) {
  const held: Chosen[] = []
  const refused: Problem[] = []
  const faults: { path: UserPath; reason: string }[] = []
  for (const path of paths) {
    const thing = await holdPlain(jail, path).catch(asProblem)
    if (!(thing instanceof Error)) {
      held.push({ path: thing.spelled, held: thing })
    } else {
      refused.push(thing)
      if (thing.code !== 'path.forbidden') faults.push({ path, reason: reasonOf(thing) })
    }
  }
  const [first] = refused
  if (held.length === 0 && first) throw first
  return { held, faults }
}

/** Holds a file or a folder. @throws Problem as `hold` does, and `path.special` for anything else. */
async function holdPlain(jail: Jail, path: UserPath): Promise<Held> {
  const held = await hold(jail, path)
  if (held.stats.isFile() || held.stats.isDirectory()) return held
  await held.close()
  throw new Problem('path.special', { path })
}

function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error
  throw error
}

function reasonOf({ code }: Problem): string {
  if (code === 'path.unknown') return 'it does not exist'
  if (code === 'path.outside') return 'a link that leads out of your folder'
  return code === 'path.special' ? 'neither a file nor a folder' : 'the operating system denies it'
}

/** One folder stands under its own name; of a selection, names begin at the deepest common folder (contract W6). */
function named(
  chosen: readonly Chosen[],
  top = 'archive',
): { name: string; roots: Root[]; common: UserPath } {
  const common = commonFolder(chosen.map(({ path }) => path))
  const [only] = chosen
  const isOneFolder = chosen.length === 1 && only?.held.stats.isDirectory()
  const name = nameOf((isOneFolder && only?.path) || common) || top || 'archive'
  const taken = new Set<string>()
  const roots = chosen.map(({ path, held }) => {
    const inside = path.slice(common === '/' ? 1 : common.length + 1) || name
    const plain = inside.split('/').map(entryName).join('/')
    const free = freeName(plain, (each) => taken.has(each))
    taken.add(free)
    return { held, path, entry: held.stats.isDirectory() ? `${free}/` : free }
  })
  return { name, roots, common: common === '/' ? ('' as UserPath) : common }
}
