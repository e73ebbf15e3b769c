import { join } from 'node:path'
import { createAuditFollower } from '#src/audit/operation-entry.ts'
import { createBookmarksFollower } from '#src/bookmarks/follow-bookmarks.ts'
import type { Clock } from '#src/core/clock.ts'
import type { FileState } from '#src/files/tree-walk/tree-tasks.ts'
import { createKeptFollower } from '#src/kept/follow-changes.ts'
import type { Keeper } from '#src/kept/retention/keeper.ts'
import type { Follower, KeptChange } from '#src/operations/followers.ts'
import type { DoneStep } from '#src/operations/operation-records.ts'
import type { ShareTracking } from '#src/shares/following/share-tracking.ts'
import type { ViewTracking } from '#src/users/view-tracking.ts'

/** The services that follow changes of files. */
export interface FollowingServices {
  keeper: Keeper
  shares: ShareTracking
  /** How users see their folders. */
  views: ViewTracking
  uploads: {
    onMoved(from: string, to: string): Promise<void>
    onDeleted(gone: readonly string[]): Promise<void>
  }
  /** Cached data of contents that no longer exist. */
  caches: readonly { remove(states: readonly FileState[]): Promise<void> }[]
  site: { isOn: boolean; onChanged(reals: readonly string[]): void }
  events: { onChanged(reals: readonly string[]): void; onTrash(reals: readonly string[]): void }
}

interface FollowerOptions {
  /** Real path of the served folder. */
  root: string
  clock: Clock
}

/**
 * Everything that follows a change of files, in this order. The rows of all followers are one transaction, which also
 * records the change.
 */
export function createFollowers({
  root,
  clock,
  keeper,
  shares,
  views,
  uploads,
  caches,
  site,
  events,
}: FollowerOptions & FollowingServices): Record<string, Follower> {
  return {
    kept: createKeptFollower({ root, keeper }),
    bookmarks: createBookmarksFollower(root),
    shares: {
      step: { after: (steps) => followShares(shares, steps) },
      kept: { after: (changes) => followDeletion(shares, changes) },
    },
    views: { step: { after: (steps) => followMoves(views, steps) } },
    uploads: {
      step: {
        async after(steps) {
          const deleted = deletedSteps(steps)
          if (deleted.length > 0) await uploads.onDeleted(deleted.map(({ path }) => path))
          await followMoves(uploads, steps.filter(mayBeFolder))
        },
      },
    },
    caches: {
      content: {
        async after(states) {
          await Promise.all(caches.map((cache) => cache.remove(states)))
        },
      },
    },
    ...(site.isOn && { site: { step: { after: (steps) => site.onChanged(changedPaths(steps)) } } }),
    events: {
      step: { after: (steps) => events.onChanged(changedPaths(steps)) },
      kept: {
        after(changes) {
          const paths = changes.flatMap(changedInTrash)
          if (paths.length > 0) events.onTrash(paths.map((path) => join(root, path)))
        },
      },
    },
    audit: createAuditFollower(clock),
  }
}

/** The followers of what commands do to the trash while no server runs. */
export function createOfflineFollowers({
  root,
  clock,
  shares,
}: FollowerOptions & { shares: Pick<ShareTracking, 'onDestroyed'> }): Record<string, Follower> {
  return {
    kept: createKeptFollower({ root }),
    bookmarks: createBookmarksFollower(root),
    shares: { kept: { after: (changes) => followDeletion(shares, changes) } },
    audit: createAuditFollower(clock),
  }
}

async function followShares(shares: ShareTracking, steps: readonly DoneStep[]): Promise<void> {
  const deleted = deletedSteps(steps)
  if (deleted.length > 0) await shares.onDeleted(deleted)
  for (const step of steps) {
    const { path, item } = step
    await followMoves(shares, [step])
    if (step.do === 'restore' && item !== undefined) await shares.onRestored(item, path)
    await followReplacement(shares, step)
  }
}

/** Any other file in the place of a file is not shared, except what the owner of the share uploads there. */
async function followReplacement(
  shares: Pick<ShareTracking, 'onSaved'>,
  { kind, user, replaced, stats }: DoneStep,
): Promise<void> {
  if (!replaced || !stats) return
  if (['save', 'publish', 'undo', 'redo', 'restore'].includes(kind)) await shares.onSaved(replaced, stats)
  else if (kind === 'upload' && user !== undefined) await shares.onSaved(replaced, stats, user)
}

async function followMoves(
  { onMoved }: { onMoved(from: string, to: string): Promise<void> },
  steps: readonly DoneStep[],
): Promise<void> {
  for (const { path, to } of steps) if (to !== undefined) await onMoved(path, to)
}

function deletedSteps(steps: readonly DoneStep[]): readonly DoneStep[] {
  return steps.filter((step) => step.do === 'remove')
}

/** Whether a step concerns a folder, as far as it is known. */
function mayBeFolder({ stats }: DoneStep): boolean {
  return stats?.isDirectory() !== false
}

/** The real paths of the entries that were changed. */
function changedPaths(steps: readonly DoneStep[]): string[] {
  return steps.flatMap(({ path, to }) => (to === undefined ? [path] : [path, to]))
}

/** Removes the shares of entries of the trash that are gone for good. */
async function followDeletion(
  shares: Pick<ShareTracking, 'onDestroyed'>,
  changes: readonly KeptChange[],
): Promise<void> {
  const gone = changes.flatMap(({ deleted = [] }) => deleted.filter(({ kind }) => kind === 'trash'))
  if (gone.length > 0) await shares.onDestroyed(gone.map(({ id }) => id))
}

/** Where the entries were that have got into the trash, or out of it. Relative to the served folder. */
function changedInTrash({ added = [], restored = [], deleted = [] }: KeptChange): string[] {
  return [...added, ...restored, ...deleted].flatMap(({ kind, path }) => (kind === 'trash' ? [path] : []))
}
