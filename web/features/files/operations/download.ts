import type { ArchiveAlgorithm, Item } from '#contract/resources.ts'
import { archiveAddress, rawAddress } from '#web/api/raw.ts'
import { parentOf } from '#web/shared/paths.ts'
import { saveAs } from '#web/ui/save-as.ts'

/**
 * Downloads the file at `path`.
 *
 * @throws ApiProblem when the permission is missing.
 */
export async function download(path: string): Promise<void> {
  saveAs(await rawAddress(path, false))
}

/**
 * Downloads items in or below `folder` as one archive; without items, the whole folder. A single folder becomes an archive with
 * the folder's own name.
 *
 * @throws ApiProblem when the permission is missing.
 */
export async function downloadArchive(
  folder: string,
  items: readonly Item[],
  algorithm: ArchiveAlgorithm,
): Promise<void> {
  const [only] = items
  if (items.length === 1 && only?.isDir) return saveAs(await archiveAddress(`${only.path}/`, [], algorithm))
  const names = items.map(({ name, path }) => (parentOf(path) === folder ? name : path.slice(folder.length)))
  saveAs(await archiveAddress(folder, names, algorithm))
}
