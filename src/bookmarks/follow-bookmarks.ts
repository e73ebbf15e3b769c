import type { Statement } from '#src/core/database/database.ts'
import { servedPath } from '#src/files/paths/path-access.ts'
import { commonFolder, parentOf, type UserPath } from '#src/files/paths/user-path.ts'
import type { Follower } from '#src/operations/followers.ts'
import type { DoneStep, EndedOperation } from '#src/operations/operation-records.ts'
import {
  mostListedUploads,
  type NewBookmark,
  pathsDeleted,
  pathsMoved,
  recentStatements,
  undoneUploadStatements,
  uploadStatements,
} from './bookmark-rows.ts'

/**
 * Lets starred and recent paths follow moved, deleted and restored entries, and makes files recent that a user has changed.
 *
 * @param root real path of the served folder
 */
export function createBookmarksFollower(root: string): Follower {
  return {
    step: { rows: (step) => followStatements(root, step) },
    kept: {
      rows: ({ deleted = [] }) =>
        deleted.flatMap(({ id, kind }) => (kind === 'trash' ? [pathsDeleted(trashPath(id))] : [])),
    },
    end: { rows: (ended) => (ended.isAudited ? changedStatements(ended) : []) },
  }
}

function followStatements(root: string, { do: verb, path: real, to, item }: DoneStep): Statement[] {
  const path = servedPath(root, real)
  if (verb === 'move' && to !== undefined) return [pathsMoved(path, servedPath(root, to))]
  if (verb === 'restore' && item !== undefined) return [pathsMoved(trashPath(item), path)]
  if (verb !== 'remove') return []
  return [item === undefined ? pathsDeleted(path) : pathsMoved(path, trashPath(item))]
}

/** Where paths of an entry in the trash are. */
const trashPath = (item: string) => `//trash/${item}`

/** Files of one operation that become recent. */
const mostOfOperation = 20

const changingKinds = ['create', 'upload', 'save', 'move']

/** The statements that make the files recent that a user has created, uploaded, saved or renamed. */
function changedStatements({ user, kind, time, steps }: EndedOperation): Statement[] {
  if (user && kind === 'undo') return undoneStatements(user.id, steps)
  if (!user || !changingKinds.includes(kind)) return []
  const paths = steps.flatMap((step) => changedFile(step) ?? [])
  if (kind === 'upload')
    return uploadsIn(paths).flatMap((upload) => uploadStatements({ user: user.id, time, ...upload }))
  const changed = paths.map((path): NewBookmark => ({ user: user.id, path, time }))
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

/** The path of a new, saved or renamed file. A file that was only moved to another folder is not recent. */
function changedFile(step: EndedOperation['steps'][number]): string | undefined {
  if (!step.isDone) return undefined
  if (step.do === 'put') return step.isFolder ? undefined : step.path
  const isRename = step.do === 'move' && parentOf(step.path as UserPath) === parentOf(step.to as UserPath)
  return isRename ? step.to : undefined
}
