import { join } from 'node:path'
import type { Audit } from '#src/audit/audit.ts'
import { entriesOfDeleted, entryOfOperation } from '#src/audit/operation-entry.ts'
import { createBookmarksFollower } from '#src/bookmarks/follow-bookmarks.ts'
import type { FileState } from '#src/files/tree-walk/tree-tasks.ts'
import { createKeptFollower } from '#src/kept/follow-changes.ts'
import type { Keeper } from '#src/kept/retention/keeper.ts'
import type { Follower, KeptChange } from '#src/operations/followers.ts'
import type { DoneStep } from '#src/operations/operation-records.ts'
import type { ShareTracking } from '#src/shares/share-tracking.ts'
import type { ViewTracking } from '#src/users/view-tracking.ts'

/** The services that follow changes of files. They are used only when something changes: some of them need operations. */
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
  site: { onChanged(reals: readonly string[]): void }
  events: { onChanged(reals: readonly string[]): void; onTrash(reals: readonly string[]): void }
}

interface FollowerOptions {
  /** Real path of the served folder. */
  root: string
  audit: Pick<Audit, 'statementsFor'>
  services(): FollowingServices
}

interface OfflineOptions extends Pick<FollowerOptions, 'root' | 'audit'> {
  shares: Pick<ShareTracking, 'onDestroyed'>
}

/**
 * Everything that follows a change of files, in this order. The rows of all followers are one transaction, which also
 * records the change.
 */
export function createFollowers({ root, audit, services }: FollowerOptions): Record<string, Follower> {
  return {
    kept: createKeptFollower({ root, keeper: () => services().keeper }),
    bookmarks: createBookmarksFollower(root),
    shares: {
      step: { after: (steps) => followShares(services().shares, steps) },
      kept: { after: (changes) => services().shares.onDestroyed(changes.flatMap(deletedFromTrash)) },
    },
    views: { step: { after: (steps) => followMoves(services().views, steps) } },
    uploads: {
      step: {
        async after(steps) {
          const deleted = deletedSteps(steps)
          if (deleted.length > 0) await services().uploads.onDeleted(deleted.map(({ path }) => path))
          await followMoves(services().uploads, steps)
        },
      },
    },
    caches: {
      content: {
        async after(states) {
          await Promise.all(services().caches.map((cache) => cache.remove(states)))
        },
      },
    },
    site: { step: { after: (steps) => services().site.onChanged(changedPaths(steps)) } },
    events: {
      step: { after: (steps) => services().events.onChanged(changedPaths(steps)) },
      kept: {
        after(changes) {
          const paths = changes.flatMap(changedInTrash)
          if (paths.length > 0) services().events.onTrash(paths.map((path) => join(root, path)))
        },
      },
    },
    audit: createAuditFollower(audit),
  }
}

/** The followers of what commands do to the trash while no server runs. */
export function createOfflineFollowers({ root, audit, shares }: OfflineOptions): Record<string, Follower> {
  return {
    kept: createKeptFollower({ root }),
    bookmarks: createBookmarksFollower(root),
    shares: { kept: { after: (changes) => shares.onDestroyed(changes.flatMap(deletedFromTrash)) } },
    audit: createAuditFollower(audit),
  }
}

function createAuditFollower(audit: FollowerOptions['audit']): Follower {
  return {
    kept: { rows: (change) => entriesOfDeleted(change).flatMap((entry) => audit.statementsFor(entry)) },
    end: { rows: (ended) => (ended.isAudited ? audit.statementsFor(entryOfOperation(ended)) : []) },
  }
}

async function followShares(shares: ShareTracking, steps: readonly DoneStep[]): Promise<void> {
  const deleted = deletedSteps(steps)
  if (deleted.length > 0) await shares.onDeleted(deleted)
  for (const step of steps) {
    const { kind, path, item, replaced, stats } = step
    await followMoves(shares, [step])
    if (step.do === 'restore' && item !== undefined) await shares.onRestored(item, path)
    // An upload in the place of a file is another file (contract/README.md#shares).
    const isSame = ['save', 'publish', 'undo', 'redo', 'restore'].includes(kind)
    if (isSame && replaced && stats) await shares.onSaved(replaced, stats)
  }
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

/** The real paths of the entries that were changed. */
function changedPaths(steps: readonly DoneStep[]): string[] {
  return steps.flatMap(({ path, to }) => (to === undefined ? [path] : [path, to]))
}

/** The ids of the entries of the trash that are gone for good. */
function deletedFromTrash({ deleted = [] }: KeptChange): string[] {
  return deleted.flatMap(({ id, kind }) => (kind === 'trash' ? [id] : []))
}

/** Where the entries were that have got into the trash, or out of it. Relative to the served folder. */
function changedInTrash({ added = [], restored = [], deleted = [] }: KeptChange): string[] {
  return [...added, ...restored, ...deleted].flatMap(({ kind, path }) => (kind === 'trash' ? [path] : []))
}
