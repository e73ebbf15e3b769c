// Folders in which files change in every way, with undo, the trash and versions, while the server is killed. A model says
// what each of them must contain.
import { mkdirSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import type { TrashList, Version } from '#contract/history/kept.ts'
import type { OperationView } from '#contract/history/operations.ts'
import { type Action, type Attempt, anAction, attemptOf, type Tracked } from '#src/attacks/actions.ts'
import { hasRoom } from '#src/attacks/changes.ts'
import { History, interrupted, type Result } from '#src/attacks/history.ts'
import { keptIds, matchKept } from '#src/attacks/kept-items.ts'
import * as model from '#src/attacks/reference.ts'
import { type Paths, type Server, UnexpectedResponse } from './server.ts'

/** A change without a response. */
interface Unanswered {
  action: Action
  text: string
}

/** How much of an interrupted change may have been done: what the model is then, and what it did. */
interface Candidate {
  tracked: Tracked
  result: Result
  known: Set<string>
}

/** A folder that changes, and the model that says what it must contain. */
export class Zone {
  readonly name: string
  private readonly folder: string
  private readonly kept: string
  private tracked: Tracked
  /** The ids of all kept items so far. */
  private known = new Set<string>()
  /** The ids of all operations so far. */
  private readonly operations = new Set<string>()
  private unanswered: Unanswered | undefined
  private count = 0

  constructor({ root, stateFolder }: Paths, name: string) {
    this.name = name
    this.folder = join(root, name)
    this.kept = join(stateFolder, 'kept')
    this.tracked = { name, history: new History(), done: [], ids: new Map() }
    mkdirSync(this.folder)
  }

  /** Does one random change. @throws UnexpectedResponse, or the error of a connection that has ended. */
  async change(server: Server): Promise<void> {
    const [action] = fc.sample(anAction, 1)
    const text = `written at ${this.name}.${this.count++}`
    const attempt = action && attemptOf(this.tracked, action, text)
    if (!attempt) return
    this.unanswered = { action, text }
    const reply = await send(server, attempt)
    const body = await reply.text()
    this.unanswered = undefined
    const id = reply.headers.get('x-operation') ?? ''
    this.operations.add(id)
    const { status, operation } = attempt.apply()
    const about = `${this.name}: ${attempt.method} ${attempt.url} responds with ${reply.status} ${body}`
    if (reply.status !== status) throw new UnexpectedResponse(`${about}, expected ${status}`)
    const fault = this.keptFault(this.tracked, this.known)
    if (fault) throw new UnexpectedResponse(`${about}; ${fault}`)
    if (operation) this.tracked.done.push({ id, operation })
  }

  /** Compares the folder with the model after a restart. @throws Error that says what is wrong. */
  async inspect(server: Server): Promise<void> {
    if (this.unanswered) {
      await this.settle(server, this.unanswered)
      this.unanswered = undefined
    }
    const fault = this.faultOf(this.tracked, this.known)
    if (fault) throw new Error(`${this.name}: ${fault}`)
    this.checkInodes()
    await this.checkLists(server)
  }

  /**
   * Finds out how much of an interrupted change was done, and continues from there. A change that has no effect, such as
   * renaming a file to its own name, may be recorded as done or as failed.
   */
  private async settle(server: Server, change: Unanswered): Promise<void> {
    const reasons: string[] = []
    const possible: Candidate[] = []
    for (const candidate of this.candidates(change)) {
      const fault = this.faultOf(candidate.tracked, candidate.known)
      if (fault) reasons.push(fault)
      else possible.push(candidate)
    }
    const [first] = possible
    if (!first)
      throw new Error(`${this.name}: ${JSON.stringify(change)} was killed; ${reasons.join('\nor ')}`)
    const record = await this.recordOf(server)
    const settled = possible.find(({ result }) => isRight(record, result)) ?? first
    this.tracked = settled.tracked
    this.known = settled.known
    this.checkRecord(record, settled.result, change.action)
  }

  /** What may have been done: any number of steps, from none to all. */
  private *candidates(change: Unanswered): Generator<Candidate> {
    for (let most = 0; ; most++) {
      const candidate = this.candidateOf(change, most)
      yield candidate
      if (candidate.result.status !== interrupted) break
    }
    const none = this.candidateOf(change, 0)
    this.addEmptyFolders(none.tracked.history)
    yield none
  }

  private candidateOf({ action, text }: Unanswered, mostSteps: number): Candidate {
    const tracked = cloneOf(this.tracked)
    const { history } = tracked
    history.mostSteps = mostSteps
    // The model has no step for this.
    const isNotBegun = action.kind === 'purge' && mostSteps === 0
    const attempt = isNotBegun ? undefined : attemptOf(tracked, action, text)
    const result = attempt?.apply() ?? { status: interrupted }
    history.mostSteps = Number.POSITIVE_INFINITY
    return { tracked, result, known: new Set(this.known) }
  }

  /**
   * Adds new empty folders to the model. A server that is killed after it has made the parent folders of a new entry, and
   * before it has recorded that entry, leaves them.
   */
  private addEmptyFolders({ disk }: History): void {
    for (const path of foldersBelow(this.folder)) {
      if (!model.entryAt(disk, path) && hasRoom(disk, path)) model.put(disk, path, model.folder())
    }
  }

  /** What is wrong with the disk if the model is right; undefined: nothing. */
  private faultOf(tracked: Tracked, known: Set<string>): string | undefined {
    const has = model.linesOfDisk(this.folder).join('\n')
    const wants = model.linesOfModel(tracked.history.disk).join('\n')
    return has === wants ? this.keptFault(tracked, known) : `the disk has\n${has}\nexpected\n${wants}`
  }

  private keptFault(tracked: Tracked, known: Set<string>): string | undefined {
    return matchKept(tracked, { folder: this.kept, present: keptIds(this.kept), known })
  }

  /** The record of an interrupted operation; undefined: there is none. */
  private async recordOf(server: Server): Promise<OperationView | undefined> {
    const views = (await jsonOf(server, '/api/operations?limit=200')) as OperationView[]
    const isOurs = ({ id, paths }: OperationView) =>
      !this.operations.has(id) && paths.some(({ path }) => path.startsWith(`/${this.name}/`))
    const ours = views.filter(isOurs)
    if (ours.length > 1) throw new Error(`${this.name}: the records are ${JSON.stringify(ours)}`)
    return ours[0]
  }

  /** Checks that the record of an interrupted operation says what was done. */
  private checkRecord(view: OperationView | undefined, result: Result, action: Action): void {
    const { operation } = result
    const about = `${this.name}: ${JSON.stringify(action)} is ${operation ? 'done' : 'failed'}`
    if (!isRight(view, result)) throw new Error(`${about}; its record is ${JSON.stringify(view)}`)
    if (view) this.operations.add(view.id)
    if (operation && view) this.tracked.done.push({ id: view.id, operation })
  }

  /** Checks that the server lists what the model keeps. */
  private async checkLists(server: Server): Promise<void> {
    const { name, history, ids } = this.tracked
    const list = (await jsonOf(server, `/api/trash?search=${name}/&limit=500`)) as TrashList
    const trash = [...history.kept].filter(({ kind }) => kind === 'trash')
    // Rows of entries whose deletion was interrupted are removed soon after the start.
    const present = keptIds(this.kept)
    if (list.next === undefined) {
      const found = list.items.filter(({ id }) => present.has(id))
      const wanted = trash.map((item) => `${ids.get(item)} /${name}${item.path}`)
      same(`${name}: the trash`, { found: found.map(({ id, path }) => `${id} ${path}`), wanted })
    }
    for (const path of filesOf(history.disk)) {
      const versions = (await jsonOf(server, `/api/versions/${name}${path}`)) as Version[]
      const wanted = history.versionsOf(path).map((item) => ids.get(item) ?? '')
      same(`${name}: the versions of ${path}`, { found: versions.map(({ id }) => id), wanted })
    }
  }

  /** Checks that no file has two names. */
  private checkInodes(): void {
    const present = keptIds(this.kept)
    const ids = [...this.tracked.ids.values()].filter((id) => present.has(id))
    const inodes = new Map<number, string>()
    for (const path of [this.folder, ...ids.map((id) => join(this.kept, id))].flatMap(filesBelow)) {
      // Soon after a file was deleted permanently, the server deletes its versions.
      const ino = statSync(path, { throwIfNoEntry: false })?.ino
      if (ino === undefined) continue
      if (inodes.has(ino))
        throw new Error(`${this.name}: one file is there twice: ${inodes.get(ino)} and ${path}`)
      inodes.set(ino, path)
    }
  }
}

/** Whether the record of an interrupted operation says what was done. */
function isRight(view: OperationView | undefined, { operation }: Result): boolean {
  return view ? view.state === (operation ? 'done' : 'failed') : !operation
}

/** A copy in which the same things are the same. */
function cloneOf({ history, ...rest }: Tracked): Tracked {
  const copy = structuredClone({ history: { ...history }, ...rest })
  return { ...copy, history: Object.setPrototypeOf(copy.history, History.prototype) as History }
}

function send(server: Server, { method, url, payload }: Attempt): Promise<Response> {
  if (typeof payload === 'string') return server.call(method, url, payload, 'application/octet-stream')
  return server.call(method, url, payload && JSON.stringify(payload))
}

async function jsonOf(server: Server, url: string): Promise<unknown> {
  const reply = await server.call('GET', url)
  if (!reply.ok) throw new Error(`GET ${url} responds with ${reply.status} ${await reply.text()}`)
  return reply.json()
}

function same(
  what: string,
  { found, wanted }: { found: readonly string[]; wanted: readonly string[] },
): void {
  const [has, wants] = [found, wanted].map((each) => each.toSorted().join('\n'))
  if (has !== wants) throw new Error(`${what} are\n${has}\nexpected\n${wants}`)
}

function filesOf({ entries }: model.Folder, above = ''): string[] {
  return [...entries].flatMap(([name, entry]) =>
    entry.kind === 'folder' ? filesOf(entry, `${above}/${name}`) : [`${above}/${name}`],
  )
}

function foldersBelow(top: string): string[] {
  return readdirSync(top, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(top.length))
}

function filesBelow(path: string): string[] {
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) return [path]
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
}
