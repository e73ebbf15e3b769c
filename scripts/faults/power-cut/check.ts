// Checks a record of system calls: what was answered is on the disk at the moment of the answer, and a power cut at any
// point loses nothing.
import { isContent } from './content.ts'
import { createDisk, type Disk } from './disk.ts'
import { createPlanCheck } from './plan.ts'
import { type Exchange, type Recording, type Tracked, trackedOf, type Value } from './recording.ts'
import { bytesOf, describe, readCalls, type SystemCall } from './system-calls.ts'
import { type Cut, isFolder, type NameOrder, type TreeNode } from './tree.ts'

/** How strict the check is. */
export interface Strictness {
  order: NameOrder
  /** Whether deleted and replaced files must stay on the disk too, in the trash or as versions. */
  keepsOld: boolean
}

/** The result of a check. */
export interface Checked {
  answers: number
  cuts: number
  /** Renames and links whose step was recorded in the database before. */
  planned: number
  /** What a power cut would lose, in sentences. */
  losses: readonly string[]
}

interface Progress extends Checked {
  recording: Recording
  strictness: Strictness
  disk: Disk
  tracked: readonly Tracked[]
  plan: ReturnType<typeof createPlanCheck>
  losses: string[]
  /** The losses that are in the list. */
  known: Set<string>
  /** The ids of the answers so far. */
  seen: Set<string>
}

/** Replays a record into a model of a disk. A loss is listed once, at the first point where it is possible. */
export function checkRecording(recording: Recording, strictness: Strictness): Checked {
  const disk = createDisk(recording.top, recording.folders, strictness.order)
  const tracked = trackedOf(recording.exchanges)
  const progress: Progress = {
    recording,
    strictness,
    disk,
    tracked,
    plan: createPlanCheck(recording, tracked, disk),
    answers: 0,
    cuts: 0,
    planned: 0,
    losses: [],
    known: new Set(),
    seen: new Set(),
  }
  for (const event of readCalls(recording.record)) {
    if (event.at === 'start') checkStart(progress, event.call)
    progress.plan.follow(event)
    if (progress.disk.follow(event)) checkCut(progress, () => `after ${describe(event.call)}`)
  }
  const unseen = recording.exchanges.filter(({ id }) => !progress.seen.has(id))
  for (const { what } of unseen) progress.losses.push(`the record has no answer to ${what}`)
  const { answers, cuts, planned, losses } = progress
  return { answers, cuts, planned, losses }
}

/** Handles what happens before a call has an effect: an answer, or a step that must be planned. */
function checkStart(progress: Progress, call: SystemCall): void {
  const exchange = /^(write|send)/.test(call.name) ? answeredBy(progress, call) : undefined
  if (exchange) takeAnswer(progress, exchange)
  if (!/^(rename|link)/.test(call.name)) return
  const { planned, losses } = progress.plan.check(call)
  progress.planned += planned
  progress.losses.push(...losses)
}

function answeredBy({ recording, seen }: Progress, { args, name }: SystemCall): Exchange | undefined {
  const text = args[1] ?? ''
  if (!text.includes('HTTP/1.1 2')) return undefined
  const bytes = bytesOf(name === 'write' ? text : text.slice(text.indexOf('"'))).toString('latin1')
  const id = /\r\nx-request-id: ([\w-]+)/i.exec(bytes)?.[1]
  return recording.exchanges.find((each) => each.id === id && !seen.has(each.id))
}

/** Checks at the answer that its changes are on the disk, before the client can send its next request. */
function takeAnswer(progress: Progress, exchange: Exchange): void {
  for (const one of progress.tracked) {
    const index = one.values.findIndex((each) => each.exchange === exchange)
    if (index === -1) continue
    one.answered = index
    one.isPlanned = false
  }
  checkCut(progress, () => `at the answer to ${exchange.what}`)
  progress.seen.add(exchange.id)
  progress.answers++
}

function checkCut(progress: Progress, when: () => string): void {
  progress.cuts++
  for (const cut of ['least', 'most'] as const) {
    const names = cut === 'least' ? 'that writes only the flushed names' : 'that writes all names'
    for (const loss of [...changedPaths(progress, cut), ...lostContents(progress, cut)]) {
      if (progress.known.has(loss)) continue
      progress.known.add(loss)
      progress.losses.push(`${loss}: after a power cut ${when()} ${names}`)
    }
  }
}

/** Each path must have its last answered value, or that of a request that may be running. */
function* changedPaths(progress: Progress, cut: Cut): Generator<string> {
  const { disk, recording, tracked } = progress
  for (const one of tracked) {
    const node = disk.tree.find(recording.root + one.path, cut)
    const allowed = [one.values[one.answered], runningOn(progress, one)].filter((each) => each !== undefined)
    if (allowed.some(({ value }) => holds(node, value))) continue
    const wanted = allowed.map(({ value }) => nameOf(value)).join(' or ')
    yield `${one.path} is ${found(node)}, not ${wanted}`
  }
}

/** Each answered content must have a name somewhere. */
function* lostContents(progress: Progress, cut: Cut): Generator<string> {
  const { disk, tracked } = progress
  const files = [...disk.tree.files(disk.tree.root, cut)]
  for (const one of tracked) {
    for (const { value, exchange } of lastingValues(progress, one)) {
      if (Buffer.isBuffer(value) && !files.some(({ flushed }) => isContent(flushed, value)))
        yield `the content of ${one.path} after ${exchange?.what} has no name any more`
    }
  }
}

/** The values of a path that must have a name. */
function lastingValues(progress: Progress, one: Tracked): Tracked['values'] {
  if (progress.strictness.keepsOld) return one.values.slice(0, one.answered + 1)
  return isDeletion(progress, one) ? [] : one.values.slice(one.answered, one.answered + 1)
}

/** Whether a running request removes the content of a path from all paths that the test knows. */
function isDeletion(progress: Progress, one: Tracked): boolean {
  const running = runningOn(progress, one)
  const content = one.values[one.answered]?.value
  return (
    running !== undefined &&
    !Object.values(running.exchange?.changes ?? {}).some((value) => value === content)
  )
}

function runningOn({ seen }: Progress, { values, answered }: Tracked): Tracked['values'][number] | undefined {
  const next = values[answered + 1]
  return next?.exchange && seen.size >= next.exchange.answersBefore ? next : undefined
}

function holds(node: TreeNode | undefined, value: Value): boolean {
  if (value === 'absent') return node === undefined
  if (value === 'folder') return isFolder(node)
  return node !== undefined && !isFolder(node) && isContent(node.flushed, value)
}

function nameOf(value: Value): string {
  return Buffer.isBuffer(value) ? `a file of ${value.length} bytes` : value
}

function found(node: TreeNode | undefined): string {
  if (!node) return 'absent'
  return isFolder(node) ? 'folder' : `a file of ${node.flushed.size} flushed bytes, of ${node.content.size}`
}
