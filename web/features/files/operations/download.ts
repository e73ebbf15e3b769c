import type { ArchiveAlgorithm, Item } from '#contract/resources.ts'
import { archiveAddress, rawAddress } from '#web/api/raw.ts'
import { saveAs } from '#web/ui/save-as.ts'

/**
 * Lets the browser save the file at `path`.
 *
 * @throws ApiProblem when the right is missing.
 */
export async function download(path: string): Promise<void> {
  saveAs(await rawAddress(path, false))
}

/**
 * Lets the browser save items of `folder` as one archive; without items, the whole folder. One folder alone becomes the
 * archive of that folder, under its own name.
 *
 * @throws ApiProblem when the right is missing.
 */
export async function downloadArchive(
  folder: string,
  items: readonly Item[],
  algorithm: ArchiveAlgorithm,
): Promise<void> {
  const [only] = items
  if (items.length === 1 && only?.isDir) return saveAs(await archiveAddress(`${only.path}/`, [], algorithm))
  const names = items.map((item) => item.name)
  saveAs(await archiveAddress(folder, names, algorithm))
}
