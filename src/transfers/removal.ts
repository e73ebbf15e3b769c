import type { Removed } from '#contract/resources.ts'
import type { Actor } from '#src/auth/actor.ts'
import type { PartitionedSemaphore } from '#src/core/concurrency/partitioned-semaphore.ts'
import { onPath } from '#src/core/errno.ts'
import { Problem } from '#src/core/problem.ts'
import type { Recheck } from '#src/core/recheck.ts'
import { openParent, spellAllowed } from '#src/files/jail/jail.ts'
import { type Located, locateIn, present } from '#src/files/jail/locate.ts'
import type { OpenPath } from '#src/files/paths/scope.ts'
import { nameOf, parentOf, rootPath, type UserPath } from '#src/files/paths/user-path.ts'
import { flushRemovals, type Hands, removeUnflushed } from '#src/files/trees/trees.ts'
import type { Hooks } from '#src/hooks/hooks.ts'
import { enterFiles } from '#src/resources/open-files.ts'
import { authorize, recheckOf } from '#src/resources/resources.policy.ts'
import type { ShareTracking } from '#src/shares/share-tracking.ts'
import { aboutOf } from './about.ts'

/** One thing that is to be deleted. */
export interface Wanted {
  path: UserPath
  /** As it was asked for: the answer names it so. */
  asked: string
}

// A folder is held, and flushed to the disk once, for so many things of it, or for as long as that takes. Then the person
// hears how far it is.
const most = { things: 250, ms: 500 }

/** Things of one folder, what has become of them, and where those were that have gone. */
interface Part {
  folder: OpenPath
  wanted: readonly Wanted[]
  results: Removed[]
  gone: string[]
}

/** What has become of a part of the things, and what ended the deletion, if something did. */
interface Ended {
  results: Removed[]
  failure?: { error: unknown }
}

/** Deleting of many things with one call: each is asked about, and bound to commands, as if it were the only one. */
export function createRemoval(
  {
    following,
    hooks,
    files,
  }: { following: Pick<ShareTracking, 'removed'>; hooks: Hooks; files: PartitionedSemaphore },
  handsFor: (actor: Actor, recheck: Recheck) => Promise<Hands>,
) {
  /** Deletes one thing of the folder that is held. Answers where it was. */
  async function removeOne(actor: Actor, own: Hands, { folder, path }: { folder: OpenPath; path: UserPath }) {
    own.recheck()
    await spellAllowed(own.jail, path)
    const target: Located = await locateIn(own.jail, folder, nameOf(path))
    present(target)
    const about = aboutOf(actor, own, target)
    await hooks.before('delete', about)
    await removeUnflushed(own, target)
    return about
  }

  /** Deletes things of the folder that is held, until a part of them is done. Fills `results` and `gone`. */
  async function removeSome(
    actor: Actor,
    own: Hands,
    { folder, wanted, results, gone }: Part,
  ): Promise<void> {
    const until = performance.now() + most.ms
    for (const { path, asked } of wanted) {
      const one = { ...own, recheck: recheckOf(actor, 'delete', [path]) }
      try {
        const about = await removeOne(actor, one, { folder, path })
        gone.push(about.file)
        await hooks.after('delete', about)
        results.push({ path: asked, status: 200 })
      } catch (error) {
        if (isEnd(error)) throw error
        results.push(refused(asked, error))
      }
      if (performance.now() > until) return
    }
  }

  /**
   * Deletes a part of the things, which are in one folder. Answers what became of each of that part, and why nothing more can
   * be deleted.
   */
  async function removePart(actor: Actor, own: Hands, wanted: readonly Wanted[]): Promise<Ended> {
    const [{ path: first } = { path: rootPath }] = wanted
    const folder = await openParent(own.jail, first).catch((error: unknown) => error)
    if (!isHeld(folder)) return { results: wanted.slice(0, 1).map(({ asked }) => refused(asked, folder)) }
    await using held = folder
    const part: Part = { folder: held, wanted, results: [], gone: [] }
    const { results, gone } = part
    const followUp = async () => {
      if (gone.length === 0) return
      await following.removed(gone)
      await flushRemovals(held).catch(onPath(held.asked))
    }
    try {
      // Links to deleted items are removed even if a later item fails.
      await removeSome(actor, own, part).finally(followUp)
      return { results }
    } catch (error) {
      return { results, failure: { error } }
    }
  }

  /**
   * Deletes things, and tells a part of them after the other what became of each. What is refused stays, and the others go.
   * Stops when the signal aborts, and when the person may delete nothing any more.
   *
   * @throws Problem `auth.forbidden` before anything is deleted; `auth.required` when the session ends meanwhile.
   */
  return async (
    actor: Actor,
    wanted: readonly Wanted[],
    signal: AbortSignal,
  ): Promise<AsyncIterable<Removed[]>> => {
    authorize(actor.user.perm, 'delete')
    const paths = wanted.map(({ path }) => path)
    const asked = { kind: 'transfer', verb: 'delete', paths, signal: () => signal } as const
    const entered = await enterFiles(files, actor, asked)
    async function* removing() {
      using _files = entered
      let rest = wanted
      while (rest.length > 0 && !signal.aborted) {
        const own = await handsFor(actor, recheckOf(actor, 'delete', paths.slice(0, 1)))
        const { results, failure } = await removePart(actor, own, sameFolder(rest))
        rest = rest.slice(results.length)
        // Report the finished part before the failure: its items are deleted.
        if (results.length > 0) yield results
        if (failure) throw failure.error
      }
    }
    return removing()
  }
}

/** The first things of a list that are in one folder, as many as are done at a time. */
function sameFolder(wanted: readonly Wanted[]): readonly Wanted[] {
  const folder = parentOf(wanted[0]?.path ?? rootPath)
  const end = wanted.findIndex(({ path }, n) => n === most.things || parentOf(path) !== folder)
  return end === -1 ? wanted : wanted.slice(0, end)
}

function isHeld(found: unknown): found is OpenPath {
  return typeof found === 'object' && found !== null && 'real' in found
}

/** Whether nothing more can be deleted after this. */
function isEnd(error: unknown): boolean {
  return !(error instanceof Problem) || error.code === 'auth.required'
}

/** @throws what is no refusal. */
function refused(path: string, error: unknown): Removed {
  if (!(error instanceof Problem)) throw error
  const { status, code, message: detail } = error
  return { path, status, code, detail }
}
