import { mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import t from 'tap'
import type { TrashList, Version } from '#contract/history/kept.ts'
import { rounds } from '#src/testing/long.ts'
import { start } from '#src/testing/start.ts'
import { type Action, anAction, attemptOf, type Tracked } from './actions.ts'
import { History, type Operation } from './history.ts'
import { keptIds, linesAt, linesOfEntry, matchKept } from './kept-items.ts'
import * as model from './reference.ts'

const perm = { create: true, rename: true, modify: true, delete: true, share: true, download: true }
const { root, base, as, services } = await start(t, { people: { alice: { perm } } })
const ask = await as('alice')
const keptFolder = join(base, 'state.d/kept')

/** One sequence of actions, in a folder of its own. */
class Sequence {
  private readonly tracked: Tracked
  /** The last operation and the tree before it, if undoing it must bring back everything. */
  private last: { operation: Operation; before: string } | undefined
  private readonly known = keptIds(keptFolder)
  private readonly texts = new Set<string>()
  private readonly lost = new Set<string>()

  constructor(name: string) {
    this.tracked = { name, history: new History(), done: [], ids: new Map() }
    const { disk } = this.tracked.history
    for (const path of ['/a/c.txt', '/b', '/c.txt']) model.put(disk, path, model.file(`first of ${path}`))
    mkdirSync(join(root, name))
    model.build(join(root, name), disk)
  }

  async act(action: Action, text: string): Promise<void> {
    const before = this.tree()
    const textsBefore = this.textsOfModel()
    const attempt = attemptOf(this.tracked, action, text)
    if (!attempt) return
    const { method, url, payload, reverses, isPermanent = false } = attempt
    const known = reverses && this.last?.operation === reverses ? this.last.before : undefined
    const { status, operation } = attempt.apply()
    const reply = await ask(method, url, payload === undefined ? {} : { payload })
    const said = `${method} ${url} responds with ${reply.statusCode} ${reply.body}`
    if (reply.statusCode !== status) throw new Error(`${said}, expected ${status}`)
    if (isPermanent) await services.keeper.run()
    this.checkTree(said, known)
    this.checkKept(said)
    this.noteTexts(textsBefore, isPermanent)
    if (operation) this.tracked.done.push({ id: String(reply.headers['x-operation']), operation })
    if (operation) this.last = { operation, before }
    if (isPermanent) this.last = undefined
  }

  /** Checks that the server lists what the model keeps, and that every text is somewhere on the disk. */
  async end(): Promise<void> {
    const { name, history, ids } = this.tracked
    const { items } = (await ask('GET', `/api/trash?search=${name}/&limit=500`)).json() as TrashList
    const trash = [...history.kept].filter(({ kind }) => kind === 'trash')
    same(
      items.map(({ id, path }) => `${id} ${path}`),
      trash.map((item) => `${ids.get(item)} /${name}${item.path}`),
    )
    for (const path of filesOf(history.disk)) {
      const list = (await ask('GET', `/api/versions/${name}${path}`)).json() as Version[]
      same(
        list.map(({ id }) => id),
        history.versionsOf(path).map((item) => ids.get(item) ?? ''),
      )
    }
    const onDisk = [join(root, name), ...[...ids.values()].map((id) => join(keptFolder, id))]
    const found = onDisk.flatMap(textsBelow).join('\n')
    const missing = [...this.texts].filter((text) => !this.lost.has(text) && !found.includes(text))
    if (missing.length > 0) throw new Error(`lost: ${missing.join(', ')}`)
  }

  /** Checks that exactly the items of the model are kept, with their contents. */
  private checkKept(said: string): void {
    const { history, ids } = this.tracked
    const present = keptIds(keptFolder)
    const unexpected = matchKept(this.tracked, { folder: keptFolder, present, known: this.known })
    if (unexpected) throw new Error(`${said}; ${unexpected}`)
    const left = [...ids].find(([item, id]) => present.has(id) && !history.kept.has(item))
    if (left) throw new Error(`${said}; still kept: ${left[0].kind} of ${left[0].was}`)
  }

  private checkTree(said: string, known: string | undefined): void {
    const wanted = model.linesOfModel(this.tracked.history.disk).join('\n')
    for (const one of known === undefined ? [wanted] : [wanted, known]) {
      if (this.tree() !== one) throw new Error(`${said}; the disk has\n${this.tree()}\nexpected\n${one}`)
    }
  }

  /** Notes the texts that must not be lost, and those that were deleted permanently. */
  private noteTexts(before: ReadonlySet<string>, isPermanent: boolean): void {
    const present = this.textsOfModel()
    for (const one of present) this.texts.add(one)
    for (const one of before) if (isPermanent && !present.has(one)) this.lost.add(one)
  }

  private tree(): string {
    return model.linesOfDisk(join(root, this.tracked.name)).join('\n')
  }

  private textsOfModel(): Set<string> {
    const { history } = this.tracked
    const lines = [history.disk, ...[...history.kept].map(({ entry }) => entry)]
    return new Set(
      lines.flatMap((entry) => linesOfEntry(entry).match(/(written at|first of) [\w/.]+/g) ?? []),
    )
  }
}

function textsBelow(address: string): string[] {
  if (!statSync(address, { throwIfNoEntry: false })) return []
  return linesAt(address).match(/(written at|first of) [\w/.]+/g) ?? []
}

function filesOf({ entries }: model.Folder, above = ''): string[] {
  return [...entries].flatMap(([name, entry]) =>
    entry.kind === 'folder' ? filesOf(entry, `${above}/${name}`) : [`${above}/${name}`],
  )
}

function same(found: readonly string[], wanted: readonly string[]): void {
  const [has, wants] = [found, wanted].map((each) => each.toSorted().join('\n'))
  if (has !== wants) throw new Error(`listed are\n${has}\nexpected\n${wants}`)
}

t.test('after random changes, undo, redo and restore, the disk is the same as the model', async () => {
  const actions = fc.array(anAction, { minLength: 10, maxLength: 40, size: 'max' })
  let runs = 0
  const property = fc.asyncProperty(actions, async (sequence) => {
    const one = new Sequence(`r${runs++}`)
    for (const [at, action] of sequence.entries()) await one.act(action, `written at ${at}`)
    await one.end()
  })
  // A failure prints its seed. To repeat it, write that seed here.
  await fc.assert(property, {
    seed: 20_261_123,
    numRuns: rounds(60),
    includeErrorInReport: true,
  })
})
