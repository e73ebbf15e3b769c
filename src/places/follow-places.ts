import type { Statement } from '#src/core/database/database.ts'
import type { Step } from '#src/files/changes/change.ts'
import { parentOf, type UserPath } from '#src/files/paths/user-path.ts'
import type { EndedOperation } from '#src/operations/record-operation.ts'
import {
  mostListedUploads,
  type NewPlace,
  pathsDeleted,
  pathsMoved,
  recentStatements,
  undoneUploadStatements,
  uploadStatements,
} from './place-rows.ts'

/** A step that was done. Paths are relative to the served folder. */
interface FollowedStep {
  do: Step['do']
  path: string
  to?: string | undefined
  /** The id of the entry in the trash. Undefined: there is none. */
  item?: string | undefined
}

/** The statements that let starred and recent paths follow a moved, deleted or restored entry. */
export function followStatements({ do: kind, path, to, item }: FollowedStep): Statement[] {
  if (kind === 'move' && to !== undefined) return [pathsMoved(path, to)]
  if (kind === 'restore' && item !== undefined) return [pathsMoved(`//trash/${item}`, path)]
  if (kind !== 'remove') return []
  return [item === undefined ? pathsDeleted(path) : pathsMoved(path, `//trash/${item}`)]
}

/** Files of one operation that become recent. */
const mostOfOperation = 20

const changingKinds = ['create', 'upload', 'save', 'move']

/** The statements that make the files recent that a user has created, uploaded, saved or renamed. */
export function changedStatements({ user, kind, time, steps }: EndedOperation): Statement[] {
  if (user && kind === 'undo') return undoneStatements(user.id, steps)
  if (!user || !changingKinds.includes(kind)) return []
  const paths = steps.flatMap((step) => changedFile(step) ?? [])
  if (kind === 'upload')
    return uploadsIn(paths).flatMap((upload) => uploadStatements({ user: user.id, time, ...upload }))
  const changed = paths.map((path): NewPlace => ({ user: user.id, path, time }))
  return recentStatements(changed.slice(-mostOfOperation))
}

/** The statements after an undo: folders of uploads stand for the files that are still there. */
function undoneStatements(user: number, steps: EndedOperation['steps']): Statement[] {
  const gone = steps.flatMap((step) => (step.do === 'remove' && step.isDone ? step.path : []))
  return uploadsIn(gone).flatMap(({ folder, paths }) =>
    undoneUploadStatements({ user, folder, count: paths.length }),
  )
}

/** The uploads of one operation: many files belong to the folder that contains all of them, few each to its own. */
function uploadsIn(paths: readonly string[]): { folder: string; paths: readonly string[] }[] {
  if (paths.length > mostListedUploads) return [{ folder: commonFolder(paths), paths }]
  return [...Map.groupBy(paths, folderOf)].map(([folder, files]) => ({ folder, paths: files }))
}

const folderOf = (path: string): string => parentOf(path as UserPath)

function commonFolder([first = '/', ...others]: readonly string[]): string {
  let folder = folderOf(first)
  const isBelow = (path: string) => folder === '/' || path.startsWith(`${folder}/`)
  while (!others.every(isBelow)) folder = folderOf(folder)
  return folder
}

/** The path of a new, saved or renamed file. A file that was only moved to another folder is not recent. */
function changedFile(step: EndedOperation['steps'][number]): string | undefined {
  if (!step.isDone) return undefined
  if (step.do === 'put') return step.isFolder ? undefined : step.path
  const isRename = step.do === 'move' && parentOf(step.path as UserPath) === parentOf(step.to as UserPath)
  return isRename ? step.to : undefined
}
