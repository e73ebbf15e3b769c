import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import type { Rule } from '#contract/users.ts'
import { encodePath } from '#src/files/paths/user-path.ts'
import { mountFolding } from '#src/testing/folding-disk.ts'
import { rounds } from '#src/testing/long.ts'
import { start } from '#src/testing/start.ts'
import * as model from './reference.ts'
import { assertSame, assertThat, type CheckedResponse, checkReading } from './verdicts.ts'

// Compares random trees, rules and calls, all in random spellings, on disks that ignore case, with the model.

const perm = { create: true, rename: true, modify: true, delete: true, share: true, download: true }
type Kind = 'exfat' | 'ntfs'

const aName = fc.constantFrom('Docs', 'data', 'Ä.txt', 'x.TXT', '.Hidden', 'Docs2', 'a', 'nöel')
const aPath = fc.array(aName, { minLength: 1, maxLength: 3 }).map((names) => `/${names.join('/')}`)
/** The letters of a path that change their case. */
const aCasing = fc.array(fc.boolean(), { minLength: 3, maxLength: 7 })

const aTree = fc.letrec<{ folder: model.Folder; entry: model.Entry }>((tie) => ({
  folder: fc
    .uniqueArray(fc.tuple(aName, tie('entry')), { maxLength: 4, selector: ([name]) => name })
    .map((entries) => model.folder(entries)),
  entry: fc.oneof({ maxDepth: 3 }, fc.constantFrom('one', 'two', 'three').map(model.file), tie('folder')),
})).folder

const aRule = fc.record({
  allow: fc.oneof({ weight: 3, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
  path: aPath,
  casing: aCasing,
  pattern: fc.option(fc.constantFrom('^/docs', 'X\\.txt$', '(^|/)DATA(/|$)', '\\.h', 'Ä', '^/[^/]+$'), {
    freq: 3,
  }),
})

const aWorld = fc.record({
  tree: aTree,
  rules: fc.array(aRule, { maxLength: 4 }),
  hideDotfiles: fc.boolean(),
  scope: aCasing,
  calls: fc.array(
    fc.record({
      kind: fc.constantFrom(
        'read' as const,
        'save' as const,
        'delete' as const,
        'rename' as const,
        'copy' as const,
      ),
      path: aPath,
      casing: aCasing,
      to: aPath,
      toCasing: aCasing,
    }),
    { minLength: 6, maxLength: 10 },
  ),
})
type World = typeof aWorld extends fc.Arbitrary<infer W> ? W : never
type Call = World['calls'][number]

function recased(text: string, casing: readonly boolean[]): string {
  const turn = (letter: string) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase()
  return [...text].map((letter, at) => (casing[at % casing.length] ? turn(letter) : letter)).join('')
}

/** What alice sees, and what the rules alone allow. Hidden dotfiles are moved and deleted with their folder. */
interface View extends model.View {
  allowedByRules: model.View['allows']
}

function allAllowed(view: View, entry: model.Entry, place: string): boolean {
  return view.allows(place) && model.allAllowed({ ...view, allows: view.allowedByRules }, entry, place)
}

/** How a disk lists a name that was created. */
const listed = (kind: Kind, name: string) => (kind === 'ntfs' ? name.toLowerCase() : name)

function listedTree(kind: Kind, { entries }: model.Folder): model.Folder {
  return model.folder(
    [...entries].map(([name, entry]): [string, model.Entry] => [
      listed(kind, name),
      entry.kind === 'folder' ? listedTree(kind, entry) : entry,
    ]),
  )
}

/** The rules as they are stored, and their meaning: rules that deny ignore case, rules that allow do not. */
function rulesOf(kind: Kind, world: World): { stored: Rule[]; allowedByRules: model.View['allows'] } {
  const rules = world.rules.map(({ allow, path, casing, pattern }) => {
    // A rule that allows must spell a name as the disk lists it.
    const about = allow ? listed(kind, path) : recased(path, casing)
    return { allow, about, pattern: pattern ?? undefined }
  })
  const stored = rules.map(({ allow, about, pattern }): Rule => {
    const regex = pattern !== undefined
    return { allow, regex, path: regex ? '' : about, regexp: regex ? { raw: pattern } : null }
  })
  const allowedByRules = (path: string) =>
    rules.findLast(({ allow, about, pattern }) => {
      const flags = allow ? '' : 'i'
      if (pattern !== undefined)
        return [path, `${path}/`].some((text) => new RegExp(pattern, flags).test(text))
      return allow ? model.isWithin(path, about) : model.isWithin(path.toLowerCase(), about.toLowerCase())
    })?.allow ?? true
  return { stored, allowedByRules }
}

/** A path as the disk spells it. The part that does not exist stays as it was typed. */
function trueSpelling(view: View, typed: string): string {
  let here = model.entryAt(view.disk, view.top)
  return model.namesOf(typed).reduce((path, name) => {
    const entries = here?.kind === 'folder' ? [...here.entries] : []
    const found = entries.find(([one]) => one.toLowerCase() === name.toLowerCase())
    here = found?.[1]
    return model.childOf(path, found?.[0] ?? name)
  }, '/')
}

async function openDisk(t: Test, kind: Kind) {
  const disk = mountFolding(t, kind)
  if (disk === undefined) return undefined
  const config = { root: disk, requestRate: Number.POSITIVE_INFINITY }
  const made = await start(t, { people: { alice: { perm } }, config })
  const call = await made.as('alice')
  const ask = async (method: string, path: string, payload?: string): Promise<CheckedResponse> => {
    const incoming = await call(method, path, { ...(payload !== undefined && { payload }) })
    return { request: `${method} ${path}`, status: incoming.statusCode, body: incoming.rawPayload }
  }

  /** Writes the world to the disk and to the state. Returns how alice sees it. */
  async function enter(world: World): Promise<View> {
    for (const name of readdirSync(disk as string)) rmSync(join(disk as string, name), { recursive: true })
    const top = `/${listed(kind, 'Home')}`
    const planted = model.folder([['Home', world.tree]])
    model.build(disk as string, planted)
    const { stored, allowedByRules } = rulesOf(kind, world)
    const scope = recased('/Home', world.scope)
    await made.document.update((draft) => {
      const alice = Object.values(draft.users).find(({ username }) => username === 'alice')
      Object.assign(alice ?? {}, { scope, hideDotfiles: world.hideDotfiles, rules: stored })
    })
    const { hideDotfiles } = world
    const allows = (path: string) => allowedByRules(path) && !(hideDotfiles && path.includes('/.'))
    return { disk: listedTree(kind, planted), top, allows, allowedByRules, hideDotfiles }
  }
  return { disk, ask, enter, kind }
}
type Mounted = NonNullable<Awaited<ReturnType<typeof openDisk>>>

/** Checks that the disk equals the model, also after a refusal. */
function checkDone(
  { disk }: Mounted,
  response: CheckedResponse,
  { view, isGood }: { view: View; isGood: boolean },
): void {
  assertThat((response.status === 200) === isGood && response.status < 500, response, { isGood })
  assertSame(response, model.linesOfDisk(disk), model.linesOfModel(view.disk))
}

interface Target {
  typed: string
  path: string
  sent: string
}

async function checkSave(mounted: Mounted, view: View, { path, sent }: Target): Promise<void> {
  const reached = model.reach(view, path)
  const place = reached === 'missing' ? model.destinationOf(view, path) : undefined
  const isFile = typeof reached !== 'string' && reached.entry.kind === 'file'
  const where = isFile ? reached.pathInScope : place
  const response = await mounted.ask('PUT', `/api/resources${sent}`, 'saved')
  if (where !== undefined) putListed(mounted, view, { place: where, entry: model.file('saved') })
  checkDone(mounted, response, { view, isGood: where !== undefined })
}

/** Puts an entry into the model under the name that the disk will list. */
function putListed({ kind }: Mounted, view: View, { place, entry }: { place: string; entry: model.Entry }) {
  const there = trueSpelling(view, place)
  const isNew = (name: string, at: number) => model.namesOf(there)[at] === name && listed(kind, name)
  const names = model.namesOf(place).map((name, at) => isNew(name, at) || (model.namesOf(there)[at] ?? name))
  model.put(view.disk, `${view.top}/${names.join('/')}`, entry)
}

async function checkDelete(mounted: Mounted, view: View, { path, sent }: Target): Promise<void> {
  const found = model.entryToRename(view, path)
  const isGood = found !== undefined && allAllowed(view, found.entry, found.pathInScope)
  const response = await mounted.ask('DELETE', `/api/resources${sent}`)
  if (isGood) model.removeEntry(view.disk, view.top + found.pathInScope)
  checkDone(mounted, response, { view, isGood })
}

interface Move {
  from: Target
  to: Target
}

const send = (mounted: Mounted, action: 'copy' | 'rename', { from, to }: Move) =>
  mounted.ask(
    'PATCH',
    `/api/resources${from.sent}?action=${action}&destination=${encodeURIComponent(to.typed)}`,
  )

/** The place where an entry may be created; undefined if it may not. */
function freeLanding(
  view: View,
  source: ReturnType<typeof model.entryToRename>,
  { to }: Move,
): string | undefined {
  const place = model.destinationOf(view, to.path)
  const isFree =
    source !== undefined &&
    place !== undefined &&
    !model.entryAt(view.disk, view.top + place) &&
    !model.isWithin(place, source.pathInScope) &&
    allAllowed(view, source.entry, source.pathInScope) &&
    allAllowed(view, source.entry, place)
  return isFree ? place : undefined
}

async function checkCopy(mounted: Mounted, view: View, move: Move): Promise<void> {
  const source = model.entryToRename(view, move.from.path)
  const place = freeLanding(view, source, move)
  const response = await send(mounted, 'copy', move)
  if (source && place) putListed(mounted, view, { place, entry: model.copyOf(source.entry) })
  checkDone(mounted, response, { view, isGood: place !== undefined })
}

async function checkRename(mounted: Mounted, view: View, move: Move): Promise<void> {
  const { from, to } = move
  const source = model.entryToRename(view, from.path)
  const isItself =
    source !== undefined &&
    to.typed !== from.typed &&
    model.entryToRename(view, to.path)?.pathInScope === source.pathInScope
  // The destination is the entry itself in another spelling: only its name changes.
  const place = isItself
    ? model.childOf(model.parentOf(source.pathInScope), model.nameOf(to.typed))
    : freeLanding(view, source, move)
  const response = await send(mounted, 'rename', move)
  if (source && place) {
    model.removeEntry(view.disk, view.top + source.pathInScope)
    putListed(mounted, view, { place, entry: source.entry })
  }
  checkDone(mounted, response, { view, isGood: place !== undefined })
}

async function tryCall(mounted: Mounted, view: View, call: Call): Promise<void> {
  const target = (path: string, casing: readonly boolean[]): Target => {
    const typed = recased(path, casing)
    return { typed, path: trueSpelling(view, typed), sent: encodePath(typed) }
  }
  const from = target(call.path, call.casing)
  const to = target(call.to, call.toCasing)
  if (call.kind === 'read') await checkReading(mounted.ask, view, from)
  else if (call.kind === 'save') await checkSave(mounted, view, from)
  else if (call.kind === 'delete') await checkDelete(mounted, view, from)
  else if (call.kind === 'copy') await checkCopy(mounted, view, { from, to })
  else await checkRename(mounted, view, { from, to })
}

for (const kind of ['exfat', 'ntfs'] as const) {
  t.test(
    `${kind}: every call agrees with the model, however names are spelled`,
    { timeout: 300_000 },
    async (t) => {
      const mounted = await openDisk(t, kind)
      if (!mounted) return
      await fc.assert(
        fc.asyncProperty(aWorld, async (world) => {
          const view = await mounted.enter(structuredClone(world))
          for (const call of world.calls) await tryCall(mounted, view, call)
        }),
        // A failure prints its seed. To repeat it, write that seed here.
        { seed: 20_261_122, numRuns: rounds(40), includeErrorInReport: true },
      )
    },
  )
}
