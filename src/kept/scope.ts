import { join } from 'node:path'
import type { TrashItem } from '#contract/history/kept.ts'
import { modifiedOf } from '#src/files/listing/entry.ts'
import { typeByName } from '#src/files/listing/media-type.ts'
import { pathOfDeleted } from '#src/files/paths/reach.ts'
import type { Jail } from '#src/files/paths/scope.ts'
import { nameOf, type UserPath } from '#src/files/paths/user-path.ts'
import type { KeptRow } from './records/kept-rows.ts'

/** The path of an entry in the scope of a reader. Undefined: it was not in the scope, or the rules deny it. */
export function pathInScope(
  root: string,
  jail: Pick<Jail, 'root' | 'allows'>,
  { path }: Pick<KeptRow, 'path'>,
): UserPath | undefined {
  return pathOfDeleted(jail, join(root, path))
}

/** An entry of the trash as in responses. */
export function itemView(row: KeptRow, path: UserPath, by: string): TrashItem {
  const name = nameOf(path)
  return {
    id: row.id,
    name,
    path,
    isDir: row.is_folder === 1,
    type: row.is_folder === 1 ? '' : (typeByName(name) ?? 'blob'),
    size: row.size,
    deleted: modifiedOf({ mtimeMs: row.time }),
    modified: modifiedOf({ mtimeMs: row.modified }),
    by,
  }
}
