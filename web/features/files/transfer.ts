import type { Item } from '#contract/resources.ts'
import { api } from '#web/api/client.ts'
import { codeOf } from '#web/api/problem-text.ts'
import { announceChange } from '#web/app/changes.ts'
import { go, parentOf, paths } from '#web/app/paths.ts'
import { ask } from '#web/overlays/ask.ts'
import type { Choice } from '#web/overlays/conflict.tsx'
import { later } from '#web/ui/later.tsx'
import { files, refresh } from './files-state.ts'

const Conflict = later(async () => (await import('#web/app/later-dialogs.ts')).Conflict)

/** `rename` moves: that is the wire's word for it. */
export type Transfer = 'copy' | 'rename'

/** What a move or a copy needs to know of a thing. */
export type Moved = Pick<Item, 'name' | 'path' | 'isDir'>

/** Whether `items` can go into `target`: not into themselves, and not by a move to where they are. */
export function canTake(kind: Transfer, items: readonly Moved[], target: string): boolean {
  return items.every(({ path, isDir }) => {
    if (isDir && target.startsWith(`${path.replace(/\/$/, '')}/`)) return false
    return kind === 'copy' || parentOf(path) !== target
  })
}

/**
 * Moves or copies `items` into the folder `target` (decoded, closing slash). A taken name is asked about: replace, keep
 * both or skip, once or for all. A copy beside its original keeps both without asking.
 *
 * @throws ApiProblem the first other refusal; what was done before it stays done.
 */
export async function transfer(kind: Transfer, items: readonly Moved[], target: string): Promise<void> {
  const sources = new Set(items.map((item) => parentOf(item.path)))
  files.tasks++
  try {
    await sendAll(kind, items, target)
  } finally {
    files.tasks--
    for (const folder of new Set([...sources, target])) announceChange(folder)
    // A file that was open has gone with the move.
    if (files.file && kind === 'rename') go(paths.files(target))
    else await refresh()
  }
}

async function sendAll(kind: Transfer, items: readonly Moved[], target: string): Promise<void> {
  let forAll: Choice | undefined
  for (const item of items) {
    const isBeside = kind === 'copy' && parentOf(item.path) === target
    if (await sent(kind, item, target, isBeside ? 'keep' : forAll)) continue
    const answer = await ask(Conflict, { name: item.name, isDir: item.isDir })
    // Who walks away wants none of the rest either.
    if (!answer) return
    if (answer.all) forAll = answer.choice
    await sent(kind, item, target, answer.choice)
  }
}

/** Sends one; false when its name is taken and nothing was chosen yet. */
async function sent(kind: Transfer, item: Moved, target: string, choice?: Choice): Promise<boolean> {
  try {
    await api('PATCH /api/resources/*', {
      params: { '*': item.path },
      query: {
        action: kind,
        destination: target + item.name,
        ...(choice === 'replace' && { override: 'true' }),
        ...(choice === 'keep' && { rename: 'true' }),
      },
    })
    return true
  } catch (error) {
    if (codeOf(error) !== 'path.exists' || choice === 'replace') throw error
    return choice === 'skip'
  }
}
