import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import type { Rule } from '#contract/users.ts'
import { encodePath } from '#src/files/paths/user-path.ts'
import { mountFolding } from '#src/testing/folding-disk.ts'
import { start } from '#src/testing/start.ts'
import * as model from './reference.ts'
import { checkReading, holds, same, type Told } from './verdicts.ts'

// Compares random trees, rules and calls, all in random spellings, on disks that ignore case, with the model.

const perm = { create: true, rename: true, modify: true, delete: true, share: true, download: true }
type Kind = 'exfat' | 'ntfs'

const aName = fc.constantFrom('Docs', 'data', 'Ä.txt', 'x.TXT', '.Hidden', 'Docs2', 'a', 'nöel')
const aPath = fc.array(aName, { minLength: 1, maxLength: 3 }).map((names) => `/${names.join('/')}`)
/** The letters of a path that change their case. */
const aCasing = fc.array(fc.boolean(), { minLength: 3, maxLength: 7 })

const aTree = fc.letrec<{ folder: model.Folder; thing: model.Thing }>((tie) => ({
  folder: fc
    .uniqueArray(fc.tuple(aName, tie('thing')), { maxLength: 4, selector: ([name]) => name })
    .map((things) => model.folder(things)),
  thing: fc.oneof({ maxDepth: 3 }, fc.constantFrom('one', 'two', 'three').map(model.file), tie('folder')),
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

function allAllowed(view: View, thing: model.Thing, place: string): boolean {
  return view.allows(place) && model.allAllowed({ ...view, allows: view.allowedByRules }, thing, place)
}

/** How a disk lists a name that was created. */
const listed = (kind: Kind, name: string) => (kind === 'ntfs' ? name.toLowerCase() : name)

function listedTree(kind: Kind, { things }: model.Folder): model.Folder {
  return model.folder(
    [...things].map(([name, thing]): [string, model.Thing] => [
      listed(kind, name),
      thing.kind === 'folder' ? listedTree(kind, thing) : thing,
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
      return allow ? model.within(path, about) : model.within(path.toLowerCase(), about.toLowerCase())
    })?.allow ?? true
  return { stored, allowedByRules }
}

/** A path as the disk spells it. The part that does not exist stays as it was typed. */
function trueSpelling(view: View, typed: string): string {
  let here = model.at(view.disk, view.top)
  return model.namesOf(typed).reduce((path, name) => {
    const things = here?.kind === 'folder' ? [...here.things] : []
    const found = things.find(([one]) => one.toLowerCase() === name.toLowerCase())
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
  const ask = async (method: string, path: string, payload?: string): Promise<Told> => {
    const incoming = await call(method, path, { ...(payload !== undefined && { payload }) })
    return { asked: `${method} ${path}`, status: incoming.statusCode, body: incoming.rawPayload }
  }

  /** Writes the world to the disk and to the state. Returns how alice sees it. */
  async function enter(world: World): Promise<View> {
    for (const name of readdirSync(disk as string)) rmSync(join(disk as string, name), { recursive: true })
    const top = `/${listed(kind, 'Home')}`
    const planted = model.folder([['Home', world.tree]])
    model.build(disk as string, planted)
    const { stored, allowedByRules } = rulesOf(kind, world)
    const scope = recased('/Home', world.scope)
    await made.store.update((draft) => {
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
  response: Told,
  { view, isGood }: { view: View; isGood: boolean },
): void {
  holds((response.status === 200) === isGood && response.status < 500, response, { isGood })
  same(response, model.linesOfDisk(disk), model.linesOfModel(view.disk))
}

interface Target {
  typed: string
  path: string
  sent: string
}

async function checkSave(mounted: Mounted, view: View, { path, sent }: Target): Promise<void> {
  const reached = model.reach(view, path)
  const place = reached === 'missing' ? model.landing(view, path) : undefined
  const isFile = typeof reached !== 'string' && reached.thing.kind === 'file'
  const where = isFile ? reached.inside : place
  const response = await mounted.ask('PUT', `/api/resources${sent}`, 'saved')
  if (where !== undefined) putListed(mounted, view, { place: where, thing: model.file('saved') })
  checkDone(mounted, response, { view, isGood: where !== undefined })
}

/** Puts an entry into the model under the name that the disk will list. */
function putListed({ kind }: Mounted, view: View, { place, thing }: { place: string; thing: model.Thing }) {
  const there = trueSpelling(view, place)
  const isNew = (name: string, at: number) => model.namesOf(there)[at] === name && listed(kind, name)
  const names = model.namesOf(place).map((name, at) => isNew(name, at) || (model.namesOf(there)[at] ?? name))
  model.put(view.disk, `${view.top}/${names.join('/')}`, thing)
}

async function checkDelete(mounted: Mounted, view: View, { path, sent }: Target): Promise<void> {
  const found = model.named(view, path)
  const isGood = found !== undefined && allAllowed(view, found.thing, found.inside)
  const response = await mounted.ask('DELETE', `/api/resources${sent}`)
  if (isGood) model.take(view.disk, view.top + found.inside)
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
function freeLanding(view: View, source: ReturnType<typeof model.named>, { to }: Move): string | undefined {
  const place = model.landing(view, to.path)
  const isFree =
    source !== undefined &&
    place !== undefined &&
    !model.at(view.disk, view.top + place) &&
    !model.within(place, source.inside) &&
    allAllowed(view, source.thing, source.inside) &&
    allAllowed(view, source.thing, place)
  return isFree ? place : undefined
}

async function checkCopy(mounted: Mounted, view: View, move: Move): Promise<void> {
  const source = model.named(view, move.from.path)
  const place = freeLanding(view, source, move)
  const response = await send(mounted, 'copy', move)
  if (source && place) putListed(mounted, view, { place, thing: model.copyOf(source.thing) })
  checkDone(mounted, response, { view, isGood: place !== undefined })
}

async function checkRename(mounted: Mounted, view: View, move: Move): Promise<void> {
  const { from, to } = move
  const source = model.named(view, from.path)
  const isItself =
    source !== undefined && to.typed !== from.typed && model.named(view, to.path)?.inside === source.inside
  // The destination is the entry itself in another spelling: only its name changes.
  const place = isItself
    ? model.childOf(model.parentOf(source.inside), model.nameOf(to.typed))
    : freeLanding(view, source, move)
  const response = await send(mounted, 'rename', move)
  if (source && place) {
    model.take(view.disk, view.top + source.inside)
    putListed(mounted, view, { place, thing: source.thing })
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
        { seed: 20_261_122, numRuns: 40, includeErrorInReport: true },
      )
    },
  )
}
