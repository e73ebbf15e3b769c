import type { Actor } from '#src/access/principal.ts'
import { isInside, pathInJail, pathOfDeleted } from '#src/files/paths/path-access.ts'
import type { Jail } from '#src/files/paths/scope.ts'
import type { ChangedNames } from '#src/files/watching/folder-watch.ts'
import type { ChangeBatch } from './changes.ts'
import type { EventStream } from './event-stream.ts'
import type { ShownFolders } from './shown-folders.ts'
import { commonFolder, isOnChangedPath, type VisibleChange, visibleChange } from './visible-changes.ts'

// Folders of one batch that are not shown. Above this, the client receives `lost` for the folder that contains them.
const mostOthers = 64

/** Returns a function that sends the part of a batch that the user may see now. @throws Problem as `Actor.jail`. */
export function createDelivery({
  actor,
  stream,
  shown,
}: {
  actor: Actor
  stream: EventStream
  shown: ShownFolders
}) {
  let root: string | undefined

  /** Whether a batch may concern this client. Saves opening the scope for each change elsewhere. */
  function concerns({ folders, trash, isLost }: ChangeBatch): boolean {
    const top = root
    if (isLost || top === undefined || isOnChangedPath(folders, top)) return true
    return [...folders.keys(), ...trash].some((real) => isInside(real, top))
  }

  /** The change of one folder, for each path to it that the user may see. */
  function changesIn(jail: Jail, where: { real: string; folds: boolean }, names: ChangedNames) {
    const paths = new Set([pathInJail(jail, where.real), ...shown.pathsTo(where.real)])
    return [...paths].flatMap((path) => visibleChange(jail, { path, ...where }, names) ?? [])
  }

  function visible(jail: Jail, { folders }: ChangeBatch, folds: ReadonlyMap<string, boolean>) {
    const inside = [...folders].filter(([real]) => isInside(real, jail.root))
    return inside.flatMap(([real, names]) => changesIn(jail, { real, folds: folds.get(real) ?? true }, names))
  }

  function send(changes: readonly VisibleChange[]): void {
    const { open = [], others = [] } = Object.groupBy(changes, ({ folder }) =>
      shown.has(folder) ? 'open' : 'others',
    )
    const isMany = others.length > mostOthers
    for (const { folder, names } of isMany ? open : [...open, ...others])
      stream.send('change', { folder, ...(names && { names }) })
    if (isMany) stream.send('lost', { folder: commonFolder(others.map(({ folder }) => folder)) })
  }

  return async (batch: ChangeBatch): Promise<void> => {
    if (!concerns(batch)) return
    if (batch.isLost) return stream.send('lost', { folder: '/' })
    root ??= (await actor.jail()).root
    const folds = await foldsOf(batch, root)
    // Read after the disk was asked, so that the rights are those of this moment.
    const jail = await actor.jail()
    root = jail.root
    if (!actor.hasAccess([])) return stream.abort()
    if ([...batch.trash].some((real) => pathOfDeleted(jail, real) !== undefined)) stream.send('trash', {})
    send(visible(jail, batch, folds))
  }
}

/** Whether names have several spellings, for each changed folder inside `root`. */
async function foldsOf(batch: ChangeBatch, root: string): Promise<Map<string, boolean>> {
  const folds = new Map<string, boolean>()
  for (const real of batch.folders.keys()) if (isInside(real, root)) folds.set(real, await batch.folds(real))
  return folds
}
