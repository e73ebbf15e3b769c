import { mkdirSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import fc from 'fast-check'
import t from 'tap'
import { rounds } from '#src/testing/long.ts'
import { start } from '#src/testing/start.ts'
import { listen } from '#src/testing/wire.ts'
import {
  aDisk,
  aName,
  aRule,
  aSpelling,
  aTarget,
  encodedSpelling,
  pathOf,
  pathsIn,
  respell,
  ruleOf,
} from './arbitrary.ts'
import * as model from './reference.ts'
import {
  assertSame,
  assertThat,
  type CheckedResponse,
  checkAccess,
  checkRaw,
  checkReading,
  checkResource,
} from './verdicts.ts'

const perm = { create: true, rename: true, modify: true, delete: true, share: true, download: true }
// This test sends more anonymous requests than any real client.
const config = { requestRate: Number.POSITIVE_INFINITY }
const { app, base, document, login } = await start(t, { people: { alice: { perm } }, config })
const port = await listen(app)
const token = await login('alice')
const agent = new Agent({ keepAlive: true })
t.teardown(() => agent.destroy())

/** Sends one request. Its path is sent as it is written. */
async function ask(method: string, path: string, { isStranger = false } = {}): Promise<CheckedResponse> {
  const headers = isStranger ? {} : { 'x-auth': token }
  const outgoing = request({ host: '127.0.0.1', port, method, path, headers, agent })
  const incoming = await new Promise<import('node:http').IncomingMessage>((resolve, reject) => {
    outgoing.once('response', resolve).once('error', reject).end()
  })
  const body = await buffer(incoming)
  return { request: `${method} ${path}`, status: incoming.statusCode ?? 0, body }
}

/** The input of one run. */
const aWorld = fc.record({
  place: aDisk,
  global: fc.array(aRule, { maxLength: 2 }),
  own: fc.array(aRule, { maxLength: 4 }),
  hideDotfiles: fc.boolean(),
  targets: fc.array(fc.tuple(aTarget, aSpelling, aName), { minLength: 4, maxLength: 6 }),
})
type World = typeof aWorld extends fc.Arbitrary<infer W> ? W : never

/** Writes the world to the disk and to the state. Returns how alice sees it. */
async function enter({ place: { scope, disk }, hideDotfiles, ...rules }: World): Promise<model.View> {
  restore(disk)
  const top = `/root${scope}`
  const paths = pathsIn(disk, top)
  const global = rules.global.map((rule) => ruleOf(rule, paths))
  const own = rules.own.map((rule) => ruleOf(rule, paths))
  await document.update((draft) => {
    draft.shares = {}
    draft.settings.rules = global.map(({ stored }) => stored)
    const alice = Object.values(draft.users).find(({ username }) => username === 'alice')
    if (!alice) throw new Error('alice is gone')
    Object.assign(alice, { scope: scope || '/', hideDotfiles, rules: own.map(({ stored }) => stored) })
  })
  const byRules = model.allowedBy([...global, ...own].map(({ modelRule }) => modelRule))
  const allows = (path: string) => byRules(path) && !(hideDotfiles && /\/\./.test(path))
  return { disk, top, allows, hideDotfiles }
}

function restore(disk: model.Folder): void {
  for (const [name, entry] of disk.entries) {
    rmSync(join(base, name), { recursive: true, force: true })
    mkdirSync(join(base, name))
    if (entry.kind === 'folder') model.build(join(base, name), entry, base)
  }
}

const diskLines = () =>
  ['root', 'outside'].flatMap((name) => model.linesOfDisk(join(base, name), base)).sort()
const modelLines = ({ disk }: model.View) =>
  [...disk.entries]
    .flatMap(([name, entry]) => (entry.kind === 'folder' ? model.linesOfModel(entry, `/${name}`) : []))
    .sort()

/** A share shows visitors what its owner can reach below the shared entry, and nothing else. */
async function checkShare(view: model.View, { path, sent }: { path: string; sent: string }, world: World) {
  const made = await ask('POST', `/api/share${sent}`)
  const reached = model.reach(view, path)
  if (!checkAccess(made, reached) || typeof reached === 'string') return
  const { hash } = JSON.parse(made.body.toString())
  const { pathInScope } = reached
  if (reached.entry.kind === 'file') {
    const file = await ask('GET', `/api/public/dl/${hash}`, { isStranger: true })
    assertThat(file.body.toString() === reached.entry.text, file, reached.entry)
    return
  }
  const visitor: model.View = {
    ...view,
    top: reached.real,
    allows: (asked) =>
      view.allows(asked === '/' ? pathInScope : (pathInScope === '/' ? '' : pathInScope) + asked),
  }
  const paths = pathsIn(view.disk, reached.real)
  for (const [target, spelling] of world.targets.slice(0, 3)) {
    const below = pathOf(paths, target)
    const rest = encodedSpelling(below, spelling)
    const [look, raw] = await Promise.all([
      ask('GET', `/api/public/share/${hash}${rest}`, { isStranger: true }),
      ask('GET', `/api/public/dl/${hash}${rest}`, { isStranger: true }),
    ])
    checkResource(look, visitor, below)
    // After the id of a download, the name of the folder itself may follow. It selects the whole folder.
    const own = pathInScope.slice(pathInScope.lastIndexOf('/') + 1)
    const isWhole =
      own !== '' && below === `/${own}` && !reached.entry.entries.has(own) && visitor.allows(below)
    checkRaw(raw, visitor, isWhole ? '/' : below)
  }
}

interface Move {
  path: string
  sent: string
  to: string
  destination: string
}

/** Copies, and compares the disk with the model afterwards, also if the copy was refused. */
async function checkCopy(view: model.View, { path, sent, to, destination }: Move): Promise<void> {
  const response = await ask('PATCH', `/api/resources${sent}?action=copy&destination=${destination}`)
  const from = model.reach(view, path)
  const place = model.destinationOf(view, to)
  const isGood =
    typeof from !== 'string' &&
    from.pathInScope !== '/' &&
    place !== undefined &&
    !model.entryAt(view.disk, view.top + place) &&
    !model.isWithin(place, from.pathInScope) &&
    model.allAllowed(view, from.entry, from.pathInScope) &&
    model.allAllowed(view, from.entry, place)
  if (isGood) model.put(view.disk, view.top + place, model.copyOf(from.entry))
  checkDone(response, view, { isGood, path, to })
}

/** Renames, and compares in the same way as `checkCopy`. */
async function checkRename(view: model.View, { path, sent, to, destination }: Move): Promise<void> {
  const response = await ask('PATCH', `/api/resources${sent}?action=rename&destination=${destination}`)
  const from = model.entryToRename(view, path)
  // The two paths are spellings of one name: nothing moves, and nothing blocks the destination.
  const isItself = from && path !== to && model.entryToRename(view, to)?.pathInScope === from.pathInScope
  const place = model.destinationOf(view, to)
  const isGood =
    from !== undefined &&
    place !== undefined &&
    !model.entryAt(view.disk, view.top + place) &&
    !model.isWithin(place, from.pathInScope) &&
    model.allAllowed(view, from.entry, from.pathInScope) &&
    model.allAllowed(view, from.entry, place)
  if (isGood) {
    model.put(view.disk, view.top + place, from.entry)
    model.removeEntry(view.disk, view.top + from.pathInScope)
  }
  checkDone(response, view, { isGood: isGood || isItself === true, path, to })
}

function checkDone(
  response: CheckedResponse,
  view: model.View,
  { isGood, path, to }: { isGood: boolean; path: string; to: string },
): void {
  assertThat((response.status === 200) === isGood && response.status < 500, response, { isGood, path, to })
  assertSame(response, diskLines(), modelLines(view))
}

async function tryAll(world: World): Promise<void> {
  const view = await enter(world)
  const paths = pathsIn(view.disk, view.top)
  const plain = [...world.global, ...world.own].filter(({ pattern }) => pattern === null)
  const ruled = plain.map(({ target }) => pathOf(paths, target))
  const targets = world.targets.map(([target, spelling, name], at) => {
    // Calls on the parent of a ruled path have to leave something out of the result.
    const above = at < 2 && ruled[at]
    return { path: above ? model.parentOf(above) : pathOf(paths, target), spelling, name }
  })
  for (const { path, spelling } of targets) {
    await checkReading(ask, view, { path, sent: encodedSpelling(path, spelling) })
    await checkShare(view, { path, sent: encodedSpelling(path, spelling) }, world)
  }
  const before = diskLines()
  if (JSON.stringify(before) !== JSON.stringify(modelLines(view)))
    throw new Error('reading changed something')
  for (const [at, { path, spelling }] of targets.entries()) {
    const next = targets[(at + 1) % targets.length] ?? { path: '/', spelling: [0], name: 'a' }
    const to = at % 3 === 2 ? next.path : model.childOf(next.path, next.name)
    const move = moveOf({ path, to, from: spelling, onto: next.spelling })
    await (at % 2 === 0 ? checkCopy(view, move) : checkRename(view, move))
  }
  for (const path of ruled) {
    await carryIn(view, { ruled: path, isCopy: false })
    await carryIn(view, { ruled: path, isCopy: true })
  }
}

/** Moves or copies a folder that contains a name to a place where a rule is about the same name. */
async function carryIn(
  view: model.View,
  { ruled, isCopy }: { ruled: string; isCopy: boolean },
): Promise<void> {
  const like = pathsIn(view.disk, view.top).find(
    (path) => model.nameOf(path) === model.nameOf(ruled) && model.parentOf(path) !== '/',
  )
  if (!like) return
  const move = moveOf({ path: model.parentOf(like), to: model.parentOf(ruled), from: [1], onto: [1] })
  await (isCopy ? checkCopy(view, move) : checkRename(view, move))
}

function moveOf(options: { path: string; to: string; from: number[]; onto: number[] }): Move {
  const { path, to, from, onto } = options
  const written = respell(to, onto)
  // A destination without its first slash is decoded once more (contract/README.md#resources).
  const isBare = (from[0] ?? 0) % 2 === 0
  const bare = encodedSpelling(written, [1]).replace(/^\/+/, '') || '/'
  return {
    path,
    sent: encodedSpelling(path, from),
    to,
    destination: encodeURIComponent(isBare ? bare : written),
  }
}

t.test('every call agrees with one model of what a user can reach', async () => {
  // The first world starts the worker threads. Its time does not count.
  const [first] = fc.sample(aWorld, { seed: 1, numRuns: 1 })
  if (first) await tryAll(structuredClone(first))
  await fc.assert(
    fc.asyncProperty(aWorld, async (world) => tryAll(structuredClone(world))),
    // A failure prints its seed. To repeat it, write that seed here.
    { seed: 20_260_801, numRuns: rounds(120), includeErrorInReport: true },
  )
})
