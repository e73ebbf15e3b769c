/** Puts files of a chooser into the queue, below `folder` (decoded, closing slash), and starts. The queue's code comes only now. */
export async function enqueueFiles(folder: string, files: Iterable<File>): Promise<void> {
  const { enqueue, wishesOf } = await import('#web/app/chunks/later-uploads.ts')
  await enqueue(folder, wishesOf(files))
}
