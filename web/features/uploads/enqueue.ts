import type { Wish } from './uploads-state.ts'

/** Puts everything into the queue, below `folder` (decoded, closing slash), and starts. The queue's code comes only now. */
export async function enqueue(folder: string, wishes: readonly Wish[]): Promise<void> {
  const queue = await import('#web/app/later-uploads.ts')
  await queue.enqueue(folder, wishes)
}
