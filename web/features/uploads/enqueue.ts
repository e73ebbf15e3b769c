import { loadLater } from '#web/ui/loading/load-later.ts'

/**
 * Adds the files of a file chooser to the upload queue, below `folder` (decoded, closing slash), and starts. Loads the
 * code of the queue on first use.
 */
export async function enqueueFiles(folder: string, files: Iterable<File>): Promise<void> {
  const { enqueue, uploadRequestsOf } = await loadLater(() => import('#web/app/chunks/later-uploads.ts'))
  await enqueue(folder, uploadRequestsOf(files))
}
