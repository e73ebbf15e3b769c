import fc from 'fast-check'
import { aChangeAt, aTransferAt } from './changes.ts'
import type { History, Item, Operation, Result } from './history.ts'
import * as model from './reference.ts'

// Few paths, so that actions meet what earlier ones have left. `/#3` is the third of the entries that are there.
const aPath = fc.oneof(
  fc
    .array(fc.constantFrom('a', 'b', 'c.txt'), { minLength: 1, maxLength: 2 })
    .map((names) => `/${names.join('/')}`),
  fc.nat(7).map((n) => `/#${n}`),
)
// Zero is the last one: undoing that must bring back the tree before it.
const back = fc.oneof(fc.constant(0), fc.nat(5))
/** A request that changes files, or undoes, restores or permanently deletes something. */
export const anAction = fc.oneof(
  { weight: 9, arbitrary: aChangeAt(aPath) },
  { weight: 4, arbitrary: aTransferAt(aPath) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('undo' as const), back }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('redo' as const), back }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('restore' as const), back }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('purge' as const), back }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('restoreVersion' as const), path: aPath, back }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('erase' as const), path: aPath }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('deleteAll' as const),
      paths: fc.uniqueArray(aPath, { minLength: 2, maxLength: 4 }),
    }),
  },
)
export type Action = typeof anAction extends fc.Arbitrary<infer A> ? A : never
/** The last of the targets, or one of those before it. */
interface Targeted<K> {
  kind: K
  back: number
}

/** An operation that has changed files, and its id on the server. */
interface Done {
  id: string
  operation: Operation
}

/** A folder at the top of the server, its model, and the ids that the server has given. */
export interface Tracked {
  name: string
  history: History
  done: Done[]
  /** The ids of the kept items. */
  ids: Map<Item, string>
}

/** A request, and what it does. */
export interface Attempt {
  method: string
  url: string
  payload?: string | object
  /** Does the same in the model. */
  apply(): Result
  /** The operation that it undoes or does again. */
  reverses?: Operation
  /** Something is deleted permanently. */
  isPermanent?: boolean
}

/** Returns the request of an action; undefined: it has no target yet. @param text the new content */
export function attemptOf(tracked: Tracked, abstract: Action, text: string): Attempt | undefined {
  const { name, history } = tracked
  const action = withPaths(history, abstract)
  if (action.kind === 'undo' || action.kind === 'redo') return reversal(tracked, action)
  if (action.kind === 'restore' || action.kind === 'purge') return ofTrash(tracked, action)
  if (action.kind === 'restoreVersion') return ofVersion(tracked, action.path, action.back)
  if (action.kind === 'erase') {
    const url = `/api/resources/${name}${action.path}?permanent=true`
    return { method: 'DELETE', url, apply: () => history.erase(action.path), isPermanent: true }
  }
  if (action.kind === 'deleteAll') {
    const payload = { paths: action.paths.map((path) => name + path) }
    return { method: 'POST', url: '/api/delete/', payload, apply: () => history.deleteAll(action.paths) }
  }
  return { ...requestOf(name, action, text), apply: () => history.change(action, text) }
}

/** Replaces the numbers of existing entries by their paths. */
function withPaths({ disk }: History, action: Action): Action {
  const there = model.linesOfModel(disk).flatMap((line) => /^"([^"]+)"/.exec(line)?.[1] ?? [])
  const resolve = (path: string) =>
    path.startsWith('/#') ? (there[Number(path.slice(2)) % there.length] ?? '/a') : path
  if ('paths' in action) return { ...action, paths: [...new Set(action.paths.map(resolve))] }
  if (!('path' in action)) return action
  return { ...action, path: resolve(action.path), ...('to' in action && { to: resolve(action.to) }) }
}

function reversal(
  { done, history }: Tracked,
  { kind, back }: Targeted<'undo' | 'redo'>,
): Attempt | undefined {
  const undone = done.filter(({ operation }) => operation.isUndone)
  const target = (kind === 'redo' && undone.length > 0 ? undone : done).at(-1 - back)
  if (!target) return undefined
  const { id, operation } = target
  const url = `/api/operations/${id}/${kind}`
  if (kind === 'undo')
    return { method: 'POST', url, apply: () => history.undo(operation), reverses: operation }
  const undoing = operation.undoneBy ?? operation
  const reverses = undoing.undoes && { reverses: undoing }
  return { method: 'POST', url, apply: () => history.redo(operation), ...reverses }
}

function ofTrash(
  { history, ids }: Tracked,
  { kind, back }: Targeted<'restore' | 'purge'>,
): Attempt | undefined {
  const item = [...history.kept].filter((each) => each.kind === 'trash').at(-1 - back)
  if (!item) return undefined
  const url = `/api/trash/${ids.get(item)}`
  if (kind === 'restore') return { method: 'POST', url: `${url}/restore`, apply: () => history.restore(item) }
  return { method: 'DELETE', url, apply: () => history.purge(item), isPermanent: true }
}

function ofVersion({ name, history, ids }: Tracked, path: string, back: number): Attempt | undefined {
  const item = history.versionsOf(path).at(-1 - back)
  if (!item || model.entryAt(history.disk, path)?.kind !== 'file') return undefined
  const url = `/api/versions/${name}${path}?version=${ids.get(item)}`
  return { method: 'POST', url, apply: () => history.restoreVersion(path, item) }
}

function requestOf(top: string, action: Parameters<History['change']>[0], text: string) {
  const { kind, path } = action
  const url = `/api/resources/${top}${path}`
  if (kind === 'upload')
    return { method: 'POST', url: `${url}${action.override ? '?override=true' : ''}`, payload: text }
  if (kind === 'save') return { method: 'PUT', url, payload: text }
  if (kind === 'folder') return { method: 'POST', url: `${url}/` }
  if (kind === 'delete') return { method: 'DELETE', url }
  const query = `action=${kind}&destination=${encodeURIComponent(`/${top}${action.to}`)}`
  const choices = `${action.override ? '&override=true' : ''}${action.free ? '&rename=true' : ''}`
  return { method: 'PATCH', url: `${url}?${query}${choices}` }
}
