import type { TrashItem } from '#contract/history/kept.ts'
import { modifiedOf, typeByName } from '#src/files/listing/entry.ts'
import { nameOf, type UserPath } from '#src/files/paths/user-path.ts'
import type { KeptRow } from '#src/kept/records/kept-rows.ts'

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
