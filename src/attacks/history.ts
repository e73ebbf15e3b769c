import { apply, type Change, freeName, hasRoom, type Steps } from './changes.ts'
import * as model from './reference.ts'

/** A deleted entry or an old content, in the model. An entry of the model is the same object as long as it exists. */
export interface Item {
  kind: 'trash' | 'version'
  /** Where it was when it was kept. */
  was: string
  /** Where it belongs: versions follow their file. */
  path: string
  entry: model.Entry
  number: number
}

/** One change of the disk, in the model. */
interface Step {
  do: 'put' | 'move' | 'remove' | 'restore'
  path: string
  to?: string
  /** What the step has left. */
  after?: model.Entry
  /** What it has removed or replaced. */
  item?: Item
  /** A folder that is only undone while it is empty. */
  isOnlyFolder?: boolean
  /** Parent folders that were made, from top to bottom. */
  made: readonly string[]
}

/** An operation with at least one step, in the model. */
export interface Operation {
  steps: Step[]
  isUndone: boolean
  undoes?: Operation | undefined
  undoneBy?: Operation
}

/** The result of a change: its status, and its operation if it has changed files. */
export interface Result {
  status: number
  operation?: Operation
}

/** The status of a change that has stopped before its end. */
export const interrupted = 0
const stop = new Error('the server was killed')

/** A disk with a trash, versions, and operations that can be undone, as `contract/README.md#operations` describes them. */
export class History {
  readonly disk = model.folder()
  /** What is in the trash, and all versions. */
  readonly kept = new Set<Item>()
  /** The next change stops before it does more steps than this, as a killed server does. */
  mostSteps = Number.POSITIVE_INFINITY
  private steps: Step[] = []
  private count = 0

  /** @param text the content that is written */
  change(change: Change, text: string): Result {
    const steps: Steps = {
      put: (path, entry) => this.put(path, entry, change.kind === 'folder'),
      move: (path, to) => this.move(path, to),
      remove: (path) => this.remove(path),
    }
    return this.run(() => apply(this.disk, change, text, steps))
  }

  /** Deletes several entries. One that is not there is left. */
  deleteAll(paths: readonly string[]): Result {
    return this.run(() => {
      for (const path of paths) if (model.entryAt(this.disk, path)) this.remove(path)
      return 200
    })
  }

  /** Deletes permanently, with all versions. */
  erase(path: string): Result {
    return this.run(() => {
      if (!model.entryAt(this.disk, path)) return 404
      this.beginStep()
      model.removeEntry(this.disk, path)
      this.steps.push({ do: 'remove', path, made: [] })
      this.dropVersions(path)
      return 200
    })
  }

  /** Deletes an entry of the trash permanently. */
  purge(item: Item): Result {
    this.kept.delete(item)
    this.dropVersions(this.trashPath(item))
    return { status: 200 }
  }

  /** The versions of a file. */
  versionsOf(path: string): Item[] {
    return [...this.kept].filter((item) => item.kind === 'version' && item.path === path)
  }

  /** Restores an entry of the trash to where it was, under a free name. */
  restore(item: Item): Result {
    return this.run(() => {
      if (!hasRoom(this.disk, item.path)) return 409
      const existing = model.entryAt(this.disk, item.path)
      this.putBack(item, existing ? freeName(this.disk, item.path, existing) : item.path)
      return 200
    })
  }

  /** Gives a file an old content. */
  restoreVersion(path: string, item: Item): Result {
    return this.run(() => {
      this.putOver(item, path)
      return 200
    })
  }

  /** Undoes an operation as far as possible: 409 when nothing of it is. */
  undo(target: Operation): Result {
    if (target.isUndone) return { status: 409 }
    const { status, operation } = this.run(() => {
      const done = target.steps.toReversed().filter((step) => this.reverse(step))
      return done.length > 0 ? 200 : 409
    })
    if (!operation) return { status }
    target.isUndone = true
    target.undoneBy = operation
    operation.undoes = target
    return { status, operation }
  }

  /** Does an undone operation again. */
  redo(target: Operation): Result {
    const undoing = target.undoneBy ?? target
    return undoing.undoes ? this.undo(undoing) : { status: 409 }
  }

  private run(work: () => number): Result {
    this.steps = []
    let status = interrupted
    try {
      status = work()
    } catch (error) {
      if (error !== stop) throw error
    }
    return { status, ...(this.steps.length > 0 && { operation: { steps: this.steps, isUndone: false } }) }
  }

  /** Ends the change here if the server was killed. */
  private beginStep(): void {
    if (this.steps.length >= this.mostSteps) throw stop
  }

  private put(path: string, entry: model.Entry, isOnlyFolder: boolean): void {
    this.beginStep()
    const made = this.missingAbove(path)
    const item = this.keepOld(path)
    model.put(this.disk, path, entry)
    this.steps.push({ do: 'put', path, after: entry, isOnlyFolder, made, ...(item && { item }) })
  }

  private move(path: string, to: string): void {
    this.beginStep()
    const entry = model.entryAt(this.disk, path)
    if (!entry) throw new Error(`nothing is at ${path}`)
    const made = this.missingAbove(to)
    const item = this.keepOld(to)
    model.removeEntry(this.disk, path)
    model.put(this.disk, to, entry)
    this.versionsFollow(path, to, item)
    this.steps.push({ do: 'move', path, to, after: entry, made, ...(item && { item }) })
  }

  private remove(path: string): void {
    this.beginStep()
    const entry = model.entryAt(this.disk, path)
    if (!entry) throw new Error(`nothing is at ${path}`)
    model.removeEntry(this.disk, path)
    const item = this.keep('trash', path, entry)
    this.versionsFollow(path, this.trashPath(item))
    this.steps.push({ do: 'remove', path, item, made: [] })
  }

  private putBack(item: Item, path: string): void {
    this.beginStep()
    const made = this.missingAbove(path)
    this.kept.delete(item)
    model.put(this.disk, path, item.entry)
    this.versionsFollow(this.trashPath(item), path)
    this.steps.push({ do: 'restore', path, after: item.entry, made })
  }

  private putOver(item: Item, path: string): void {
    this.beginStep()
    this.kept.delete(item)
    const old = this.keepOld(path)
    model.put(this.disk, path, item.entry)
    this.steps.push({ do: 'restore', path, after: item.entry, made: [], ...(old && { item: old }) })
  }

  /** Does the reverse of a step if what it has left is still there, and nothing is in the way. */
  private reverse(step: Step): boolean {
    const { path, to, item } = step
    if (step.do === 'move' && to !== undefined) return this.moveBack(step, to)
    if (step.do === 'remove') return item !== undefined && this.putBackIfFree(item, path)
    if (!this.isUnchanged(path, step)) return false
    if (!item) return this.removeNew(step)
    if (!this.kept.has(item)) return false
    this.putOver(item, path)
    return true
  }

  private isUnchanged(path: string, { after, isOnlyFolder }: Step): boolean {
    const entry = model.entryAt(this.disk, path)
    return entry !== undefined && entry === after && !(isOnlyFolder && !isEmpty(entry))
  }

  private removeNew({ path, made }: Step): true {
    this.remove(path)
    this.removeMade(made.filter((each) => each !== path))
    return true
  }

  private moveBack(step: Step, to: string): boolean {
    const { path, item, made } = step
    if (!this.isUnchanged(to, step) || !hasRoom(this.disk, path) || model.entryAt(this.disk, path))
      return false
    this.move(to, path)
    if (item) this.putBackIfFree(item, to)
    this.removeMade(made)
    return true
  }

  private putBackIfFree(item: Item, path: string): boolean {
    if (!this.kept.has(item) || !hasRoom(this.disk, path) || model.entryAt(this.disk, path)) return false
    this.putBack(item, path)
    return true
  }

  private removeMade(made: readonly string[]): void {
    for (const each of made.toReversed()) {
      if (!isEmpty(model.entryAt(this.disk, each))) return
      this.remove(each)
    }
  }

  private keepOld(path: string): Item | undefined {
    const old = model.entryAt(this.disk, path)
    return old && this.keep('version', path, old)
  }

  private keep(kind: Item['kind'], path: string, entry: model.Entry): Item {
    const item = { kind, was: path, path, entry, number: this.count++ }
    this.kept.add(item)
    return item
  }

  private missingAbove(path: string): string[] {
    const missing: string[] = []
    for (let above = model.parentOf(path); !model.entryAt(this.disk, above); above = model.parentOf(above))
      missing.unshift(above)
    return missing
  }

  /** Where the versions of an entry in the trash are. */
  private trashPath(item: Item): string {
    return `//trash/${item.number}`
  }

  private versionsFollow(from: string, to: string, except?: Item): void {
    for (const item of this.kept) {
      const isBelow = item.kind === 'version' && item !== except && model.isWithin(item.path, from)
      if (isBelow) item.path = to + item.path.slice(from.length)
    }
  }

  private dropVersions(path: string): void {
    for (const item of this.kept)
      if (item.kind === 'version' && model.isWithin(item.path, path)) this.kept.delete(item)
  }
}

function isEmpty(entry: model.Entry | undefined): boolean {
  return entry?.kind === 'folder' && entry.entries.size === 0
}
