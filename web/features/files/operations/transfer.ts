import type { Item } from '#contract/resources.ts'
import { ApiProblem, api } from '#web/api/client.ts'
import { codeOf } from '#web/api/problems/problem-text.ts'
import type { TransferItem } from '#web/features/files/state/clipboard-state.ts'
import { files } from '#web/features/files/state/files-state.ts'
import { createSerialQueue, runConcurrently } from '#web/features/files/state/run-concurrently.ts'
import { selection } from '#web/features/files/state/selection.ts'
import { ask } from '#web/overlays/ask.ts'
import type { Choice } from '#web/overlays/conflict.tsx'
import { isNewer } from '#web/overlays/newer.ts'
import { announceFiles, foldersOf, moveOf } from '#web/shared/changes.ts'
import { freeName } from '#web/shared/names/free-name.ts'
import { encodePath, folderText, parentOf } from '#web/shared/paths.ts'
import { session } from '#web/shared/session.ts'
import { copiedText, movedText } from '#web/shared/undo/change-text.ts'
import { recordChange } from '#web/shared/undo/history.ts'
import { lazy } from '#web/ui/lazy.tsx'
import { isDone, isFinalError, type OperationError, showOperationErrors } from './refusals.ts'

const Conflict = lazy(async () => (await import('#web/app/chunks/later-dialogs.ts')).Conflict)

/** The kinds of transfer. `rename` is the protocol's word for a move. */
export type TransferKind = 'copy' | 'rename'

/** Whether `items` can go into `target`: not into themselves, and not by a move into their own folder. */
export function canTransferTo(kind: TransferKind, items: readonly TransferItem[], target: string): boolean {
  return items.every(({ path, isDir }) => {
    if (isDir && target.startsWith(`${path.replace(/\/$/, '')}/`)) return false
    return kind === 'copy' || parentOf(path) !== target
  })
}

/**
 * Moves or copies `items` into the folder `target` (decoded, closing slash), and selects the results. Asks about a
 * taken name: replace, keep both or skip, once or for all. A copy beside its original keeps both without asking. Four
 * requests run at a time. Shows errors and continues with the other items. Returns the items that were moved or copied.
 */
export async function transfer(
  kind: TransferKind,
  items: readonly TransferItem[],
  target: string,
): Promise<readonly TransferItem[]> {
  const chosen = selection.names
  const progress: Progress = {
    done: new Set(),
    names: new Set(),
    refusals: new Map(),
    operations: [],
    isOver: false,
  }
  const existing = new Map<string, Item>()
  files.tasks++
  try {
    for (const item of await namesIn(target)) existing.set(item.name, item)
    await sendAll(kind, items, { target, existing, progress, enqueueQuestion: createSerialQueue() })
  } finally {
    files.tasks--
    await announceFiles({
      folders: [...foldersOf(items.map(({ path }) => path)), target],
      results: [...progress.names].map((name) => target + name),
      replaces: chosen,
    })
    showOperationErrors(items.flatMap((item) => progress.refusals.get(item) ?? []))
    recordTransfer(kind, items, { target, progress })
  }
  return items.filter((item) => progress.done.has(item))
}

/** Records the transfer as one change. The server chose the names of items that were kept beside others. */
function recordTransfer(
  kind: TransferKind,
  items: readonly TransferItem[],
  { target, progress }: Pick<Run, 'target' | 'progress'>,
): void {
  const { done, operations } = progress
  const names = items.filter((item) => done.has(item)).map(({ name }) => name)
  if (names.length === 0) return
  const text = (kind === 'copy' ? copiedText : movedText)(names, target)
  recordChange({ text, operations, place: { folder: target, names: [...progress.names] } })
}

interface Progress {
  done: Set<TransferItem>
  /** The names of the results, also of those under way. */
  names: Set<string>
  refusals: Map<TransferItem, OperationError>
  /** The ids of the operations, in their order. */
  operations: string[]
  /** The user has closed a question: no further one is asked. */
  isOver: boolean
}

interface Run {
  target: string
  /** The items that were in the target before. */
  existing: ReadonlyMap<string, Item>
  progress: Progress
  /** Runs questions one after the other, although several requests run at a time. */
  enqueueQuestion: ReturnType<typeof createSerialQueue>
}

async function sendAll(kind: TransferKind, items: readonly TransferItem[], run: Run): Promise<void> {
  const { progress } = run
  const choices = await choose(kind, items, run)
  if (!choices) return
  await runConcurrently(items, async (item) => {
    try {
      return await sendOne(kind, item, run, choices.get(item))
    } catch (error) {
      const code = codeOf(error)
      progress.refusals.set(item, { name: item.name, code })
      if (isDone(code)) await announceMoved(kind, item, run.target + item.name)
      if (isDone(code)) progress.done.add(item)
      return !isFinalError(code)
    }
  })
}

/** Moves or copies one item. Returns false when the user cancels. @throws ApiProblem when the server rejects it. */
async function sendOne(kind: TransferKind, item: TransferItem, run: Run, chosen?: Choice) {
  const { progress, enqueueQuestion } = run
  let choice = chosen
  if (!(await sent(kind, item, run, choice))) {
    // The name was taken after the list was loaded.
    const answer = await enqueueQuestion(async () => (progress.isOver ? undefined : askAbout(item, run, 0)))
    progress.isOver ||= answer === undefined
    if (!answer) return false
    choice = answer.choice
    await sent(kind, item, run, choice)
  }
  if (choice === 'skip') return true
  progress.done.add(item)
  if (choice !== 'keep') progress.names.add(item.name)
  return true
}

/** Asks about every taken name before the transfer starts; undefined when the user cancels. */
async function choose(kind: TransferKind, items: readonly TransferItem[], { target, existing }: Run) {
  // In its own folder, an item would replace itself: a copy gets another name, and nothing is moved.
  const isHere = ({ path }: TransferItem) => parentOf(path) === target
  const own: Choice = kind === 'copy' ? 'keep' : 'skip'
  const choices = new Map<TransferItem, Choice>(items.filter(isHere).map((item) => [item, own]))
  const taken = items.filter((item) => existing.has(item.name) && !isHere(item))
  let forAll: Choice | undefined
  for (const [n, item] of taken.entries()) {
    const there = existing.get(item.name)
    const choice = forAll ?? (await askAbout(item, { target, there }, taken.length - n - 1))
    if (!choice) return undefined
    if (typeof choice === 'object' && choice.all) forAll = choice.choice
    choices.set(item, settled(typeof choice === 'object' ? choice.choice : choice, item, there))
  }
  return choices
}

async function namesIn(folder: string): Promise<readonly Item[]> {
  // A user who may not list the folder may still be allowed to write into it. The server decides.
  const answer = await api('GET /api/resources/*', { params: { '*': folder }, query: {} }).catch(
    () => undefined,
  )
  return answer && 'items' in answer ? answer.items : []
}

/** Asks about a taken name. `there` is the item that has it; undefined: it came after the list was loaded. */
function askAbout(
  item: TransferItem,
  { target, there }: { target: string; there?: Item | undefined },
  more: number,
) {
  const isDir = item.isDir || (there?.isDir ?? false)
  const sides = !isDir && there && { existing: versionOf(there), incoming: versionOf(item) }
  const mayReplace = (session.user?.perm.modify ?? false) && item.isDir === (there?.isDir ?? item.isDir)
  const named = { name: item.name, place: folderText(target + item.name) }
  return ask(Conflict, { ...named, isDir, more, mayReplace, ...sides })
}

function versionOf({ size, modified }: Pick<Item, 'size' | 'modified'>) {
  return { size, modified: Date.parse(modified) }
}

function settled(choice: Choice, item: TransferItem, there: Item | undefined): Choice {
  if (choice !== 'newer') return choice
  return there && isNewer(versionOf(item), versionOf(there)) ? 'replace' : 'skip'
}

/** Sends one request; false when the name is taken and the user has made no choice yet. */
async function sent(
  kind: TransferKind,
  item: TransferItem,
  run: Pick<Run, 'target' | 'progress' | 'existing'>,
  choice?: Choice,
): Promise<boolean> {
  if (choice === 'skip') return true
  if (choice === 'keep') return keepBoth(kind, item, run)
  return sentTo(kind, item, { ...run, name: item.name, isReplacing: choice === 'replace' })
}

/** Maximum number of names that are tried for “Keep both”. */
const maxCopies = 1000

/** Moves or copies to the first free name. */
async function keepBoth(
  kind: TransferKind,
  item: TransferItem,
  run: Pick<Run, 'target' | 'progress' | 'existing'>,
): Promise<boolean> {
  const { names } = run.progress
  for (let n = 1; n <= maxCopies; n++) {
    const name = freeName(item.name, n, item.isDir)
    if (run.existing.has(name) || names.has(name)) continue
    // Another request that runs at the same time must not choose it, too.
    names.add(name)
    if (await sentTo(kind, item, { ...run, name, isReplacing: false })) return true
    names.delete(name)
  }
  throw new ApiProblem(409, 'path.exists', `${maxCopies} copies exist`)
}

interface Destination extends Pick<Run, 'target' | 'progress'> {
  name: string
  isReplacing: boolean
}

/** Sends one request; false when the name is taken. */
async function sentTo(
  kind: TransferKind,
  item: TransferItem,
  { target, name, isReplacing, progress }: Destination,
): Promise<boolean> {
  const query = {
    action: kind,
    // The API decodes its destination twice.
    destination: encodePath(target + name),
    ...(isReplacing && { override: 'true' }),
  } as const
  try {
    const onOperation = (id: string) => void progress.operations.push(id)
    await api('PATCH /api/resources/*', { params: { '*': item.path }, query }, { onOperation })
    await announceMoved(kind, item, target + name)
    return true
  } catch (error) {
    if (codeOf(error) !== 'path.exists' || isReplacing) throw error
    return false
  }
}

/** Many moves take long: what is open or played follows each at once. The list loads again after the last one. */
async function announceMoved(kind: TransferKind, { path }: TransferItem, to: string): Promise<void> {
  if (kind === 'rename') await announceFiles({ folders: [], moved: [moveOf(path, to)], turnsOn: true })
}
