import { nameOf } from '#web/app/paths.ts'
import { ask } from '#web/overlays/ask.ts'
import type { Choice } from '#web/overlays/conflict.tsx'
import { later } from '#web/ui/later.tsx'

const Conflict = later(async () => (await import('#web/app/later-dialogs.ts')).Conflict)

let forAll: Choice | undefined
let queue: Promise<unknown> = Promise.resolve()

/** Asks once at a time; an answer for all holds until the queue is empty. Walking away leaves the file out. */
export function decide(path: string, signal: AbortSignal): Promise<Choice> {
  const answer = queue.then(async (): Promise<Choice> => {
    if (forAll || signal.aborted) return forAll ?? 'skip'
    const reply = await ask(Conflict, { name: nameOf(path) })
    if (reply?.all) forAll = reply.choice
    return reply?.choice ?? 'skip'
  })
  queue = answer
  return answer
}

/** The next conflict is asked about again. */
export function forgetDecision(): void {
  forAll = undefined
}
