import type { Item } from '#contract/resources.ts'
import { api } from '#web/api/client.ts'
import { codeOf } from '#web/api/problem-text.ts'
import { announceChange } from '#web/app/changes.ts'
import { go, parentOf, paths } from '#web/app/paths.ts'
import { session } from '#web/app/session.ts'
import { ask } from '#web/overlays/ask.ts'
import type { Choice } from '#web/overlays/conflict.tsx'
import { later } from '#web/ui/later.tsx'
import { files, refresh } from './files-state.ts'

const Conflict = later(async () => (await import('#web/app/later-dialogs.ts')).Conflict)

/** `rename` moves: that is the wire's word for it. */
export type Transfer = 'copy' | 'rename'

/** What a move or a copy needs to know of a thing. */
export type Moved = Pick<Item, 'name' | 'path' | 'isDir' | 'size' | 'modified'>

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
  const choices = await choose(kind, items, target)
  if (!choices) return
  for (const item of items) {
    if (await sent(kind, item, target, choices.get(item))) continue
    // Taken since we looked.
    const answer = await askAbout(item, undefined, 0)
    if (!answer) return
    await sent(kind, item, target, answer.choice)
  }
}

/** Asks about every taken name before anything moves; undefined when the person wants none of it. */
async function choose(kind: Transfer, items: readonly Moved[], target: string) {
  const choices = new Map<Moved, Choice>()
  const here = await namesIn(target)
  const taken = items.filter((item) => here.has(item.name))
  let forAll: Choice | undefined
  for (const [n, item] of taken.entries()) {
    const there = here.get(item.name)
    if (kind === 'copy' && parentOf(item.path) === target) {
      choices.set(item, 'keep')
      continue
    }
    const choice = forAll ?? (await askAbout(item, there, taken.length - n - 1))
    if (!choice) return undefined
    if (typeof choice === 'object' && choice.all) forAll = choice.choice
    choices.set(item, settled(typeof choice === 'object' ? choice.choice : choice, item, there))
  }
  return choices
}

async function namesIn(folder: string): Promise<ReadonlyMap<string, Item>> {
  // Who may not look there may still be allowed to put something there: the server says what it thinks of that.
  const answer = await api('GET /api/resources/*', { params: { '*': folder }, query: {} }).catch(
    () => undefined,
  )
  return new Map(answer && 'items' in answer ? answer.items.map((item) => [item.name, item]) : [])
}

function askAbout(item: Moved, there: Item | undefined, more: number) {
  const isDir = item.isDir || (there?.isDir ?? false)
  const sides = !isDir && there && { there: versionOf(there), coming: versionOf(item) }
  const mayReplace = (session.user?.perm.modify ?? false) && item.isDir === (there?.isDir ?? item.isDir)
  return ask(Conflict, { name: item.name, isDir, more, mayReplace, ...sides })
}

function versionOf({ size, modified }: Pick<Item, 'size' | 'modified'>) {
  return { size, modified: Date.parse(modified) }
}

function settled(choice: Choice, item: Moved, there: Item | undefined): Choice {
  if (choice !== 'newer') return choice
  return there && Date.parse(item.modified) > Date.parse(there.modified) ? 'replace' : 'skip'
}

/** Sends one; false when its name is taken and nothing was chosen yet. */
async function sent(kind: Transfer, item: Moved, target: string, choice?: Choice): Promise<boolean> {
  if (choice === 'skip') return true
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
    if (codeOf(error) !== 'path.exists' || choice) throw error
    return false
  }
}
