import type { DoneStep, StepListener } from '#src/operations/operation-records.ts'
import type { ShareTracking } from '#src/shares/share-tracking.ts'
import type { ViewTracking } from '#src/users/view-tracking.ts'

interface Listeners {
  shares: ShareTracking
  /** How users see their folders. */
  views: ViewTracking
  uploads: {
    onMoved(from: string, to: string): Promise<void>
    onDeleted(gone: readonly string[]): Promise<void>
  }
}

/** Creates the function that lets shares, remembered views and uploads follow what operations have changed. */
export function createListeners({ shares, views, uploads }: Listeners): StepListener {
  return async (steps) => {
    const deleted = steps.filter((step) => step.do === 'remove')
    if (deleted.length > 0) {
      await shares.onDeleted(deleted)
      await uploads.onDeleted(deleted.map(({ path }) => path))
    }
    for (const step of steps) await follow({ shares, views, uploads }, step)
  }
}

async function follow({ shares, views, uploads }: Listeners, step: DoneStep): Promise<void> {
  const { kind, path, to, item, replaced, stats } = step
  if (to !== undefined) {
    await shares.onMoved(path, to)
    await views.onMoved(path, to)
    await uploads.onMoved(path, to)
  }
  if (step.do === 'restore' && item !== undefined) await shares.onRestored(item, path)
  // An upload in the place of a file is another file (contract/README.md#shares).
  const isSame = ['save', 'publish', 'undo', 'redo', 'restore'].includes(kind)
  if (isSame && replaced && stats) await shares.onSaved(replaced, stats)
}

/** The real paths of the entries that were changed. */
export function changedPaths(steps: readonly DoneStep[]): string[] {
  return steps.flatMap(({ path, to }) => (to === undefined ? [path] : [path, to]))
}
