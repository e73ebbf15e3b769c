import type { ArchiveAlgorithm, Item } from '#contract/resources.ts'
import { archiveAddress, rawAddress } from '#web/api/raw.ts'

/**
 * Lets the browser save the file at `path`.
 *
 * @throws ApiProblem when the right is missing.
 */
export async function download(path: string): Promise<void> {
  save(await rawAddress(path, false))
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
  if (items.length === 1 && only?.isDir) return save(await archiveAddress(`${only.path}/`, [], algorithm))
  const names = items.map((item) => item.name)
  save(await archiveAddress(folder, names, algorithm))
}

function save(address: string): void {
  const link = document.createElement('a')
  link.href = address
  link.download = ''
  link.click()
}
