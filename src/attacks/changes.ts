import fc from 'fast-check'
import * as model from './reference.ts'

// Few names, so that paths often collide.
export const aPath = fc
  .array(fc.constantFrom('a', 'b', 'ab', 'c.txt'), { maxLength: 3 })
  .map((names) => `/${names.join('/')}`)

/** A copy or a move from one such path to another. */
export const aTransferAt = (path: fc.Arbitrary<string>) =>
  fc.record({
    kind: fc.constantFrom('copy' as const, 'rename' as const),
    path,
    to: path,
    override: fc.boolean(),
    free: fc.boolean(),
  })

/** A request that changes files at such paths. */
export const aChangeAt = (path: fc.Arbitrary<string>) =>
  fc.oneof(
    fc.record({ kind: fc.constant('upload' as const), path, override: fc.boolean() }),
    fc.record({ kind: fc.constant('save' as const), path }),
    fc.record({ kind: fc.constant('folder' as const), path }),
    fc.record({ kind: fc.constant('delete' as const), path }),
    aTransferAt(path),
  )
export type Change = ReturnType<typeof aChangeAt> extends fc.Arbitrary<infer C> ? C : never

/** What a change does to the model. Each puts an entry where nothing or a file is, and makes missing parent folders. */
export interface Steps {
  put(path: string, entry: model.Entry): void
  move(path: string, to: string): void
  remove(path: string): void
}

/** The steps of a disk that keeps nothing. */
export function plainSteps(disk: model.Folder): Steps {
  return {
    put: (path, entry) => model.put(disk, path, entry),
    move(path, to) {
      const entry = model.entryAt(disk, path)
      model.removeEntry(disk, path)
      if (entry) model.put(disk, to, entry)
    },
    remove: (path) => model.removeEntry(disk, path),
  }
}

/**
 * Applies a change to the model and returns the status (contract/README.md#status-codes, contract/README.md#resources).
 *
 * @param text the content that is written
 */
export function apply(disk: model.Folder, change: Change, text: string, steps = plainSteps(disk)): number {
  const { kind, path } = change
  // The path of the whole scope ends with a slash, so it denotes a folder.
  if (kind === 'folder' || (kind === 'upload' && path === '/')) return makeFolder(disk, path, steps)
  if (kind === 'upload') {
    return write(disk, path, { text, mayReplace: change.override, ontoFolder: 409, steps })
  }
  if (kind === 'save') return write(disk, path, { text, mayReplace: true, ontoFolder: 405, steps })
  if (kind === 'delete') return remove(disk, path, steps)
  return transfer(disk, change, steps)
}

/** Whether an entry can be created at a path: every folder above it exists as a folder or is missing. */
export const hasRoom = (disk: model.Folder, path: string): boolean => {
  for (let above = model.parentOf(path); ; above = model.parentOf(above)) {
    if (model.entryAt(disk, above)?.kind === 'file') return false
    if (above === '/') return true
  }
}

function write(
  disk: model.Folder,
  path: string,
  how: { text: string; mayReplace: boolean; ontoFolder: number; steps: Steps },
): number {
  const existing = model.entryAt(disk, path)
  if (existing?.kind === 'folder') return how.ontoFolder
  if (!hasRoom(disk, path) || (existing && !how.mayReplace)) return 409
  how.steps.put(path, model.file(how.text))
  return 200
}

function makeFolder(disk: model.Folder, path: string, steps: Steps): number {
  const existing = model.entryAt(disk, path)
  if (existing?.kind === 'folder') return 200
  if (existing || !hasRoom(disk, path)) return 409
  steps.put(path, model.folder())
  return 200
}

function remove(disk: model.Folder, path: string, steps: Steps): number {
  if (path === '/') return 403
  if (!model.entryAt(disk, path)) return 404
  steps.remove(path)
  return 200
}

function transfer(disk: model.Folder, change: Extract<Change, { to: string }>, steps: Steps): number {
  const { kind, path, to, override, free } = change
  if (path === '/' || to === '/') return 403
  const entry = model.entryAt(disk, path)
  if (!entry) return 404
  if (kind === 'copy' && override && path === to) return 400
  if (!hasRoom(disk, to)) return 409
  const existing = model.entryAt(disk, to)
  const place = existing && free ? freeName(disk, to, existing) : to
  const status = refusal({
    from: { path, entry },
    to: { path: place, entry: model.entryAt(disk, place) },
    override,
  })
  if (status !== 200 || place === path) return status
  if (kind === 'copy') steps.put(place, model.copyOf(entry))
  else steps.move(path, place)
  return 200
}

interface Placed<T> {
  path: string
  entry: T
}

function refusal(options: {
  from: Placed<model.Entry>
  to: Placed<model.Entry | undefined>
  override: boolean
}): number {
  const { from, to, override } = options
  if (to.entry && !override) return 409
  if (to.path === from.path) return 200
  if (model.isWithin(to.path, from.path)) return 400
  // Only a file can replace a file. A folder neither replaces an entry nor is replaced.
  return to.entry && !(to.entry.kind === 'file' && from.entry.kind === 'file') ? 409 : 200
}

/** The first free `name(1).ext`, `name(2).ext`, … beside a taken name. */
export function freeName(disk: model.Folder, to: string, { kind }: model.Entry): string {
  const [, stem = '', extension = ''] =
    /^(.+?)(\.[^./]*)?$/.exec(kind === 'file' ? model.nameOf(to) : '') ?? []
  const [first, last] = kind === 'file' ? [stem, extension] : [model.nameOf(to), '']
  for (let n = 1; ; n++) {
    const place = model.childOf(model.parentOf(to), `${first}(${n})${last}`)
    if (!model.entryAt(disk, place)) return place
  }
}
