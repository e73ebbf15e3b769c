import { foreign } from './arbitrary.ts'
import * as model from './reference.ts'
import { zipEntries } from './unpack.ts'

/** What was answered to a request. */
export interface Told {
  asked: string
  status: number
  body: Buffer
}

/** Fails unless it holds; fast-check shows the smallest world in which it does not. */
export function holds(isTrue: boolean, { asked, status, body }: Told, expected: unknown): void {
  if (isTrue) return
  const text = body.toString('latin1').slice(0, 300)
  throw new Error(`${asked} answers ${status} ${text}\nexpected ${JSON.stringify(expected)}`)
}

/** Whether an answer gives what may be reached and refuses the rest, in the one way that tells nothing. */
export function isVerdict(told: Told, reached: ReturnType<typeof model.reach>): boolean {
  holds(!told.body.includes(foreign), told, 'nothing foreign')
  if (reached === 'denied') holds(told.status === 403, told, reached)
  else if (reached === 'missing') holds(told.status === 403 || told.status === 404, told, reached)
  else holds(told.status === 200, told, { reached: reached.inside })
  return typeof reached !== 'string'
}

/** Whether an answer has what the model has, in any order. */
export const same = (told: Told, one: Iterable<unknown>, other: Iterable<unknown>) => {
  const [has, wants] = [JSON.stringify([...one].sort()), JSON.stringify([...other].sort())]
  holds(has === wants, told, wants)
}

/** A listing, or a file with its text. */
export function checkLook(told: Told, view: model.View, path: string): void {
  const reached = model.reach(view, path)
  if (!isVerdict(told, reached) || typeof reached === 'string') return
  const said = JSON.parse(told.body.toString())
  if (reached.thing.kind === 'file') {
    holds(said.content === reached.thing.text, told, reached.thing)
    return
  }
  const items = said.items.map(({ name, type }: { name: string; type: string }) => [
    name,
    type === 'invalid_link',
  ])
  same(told, items, model.listing(view, path, reached))
}

/** The bytes of a file, or a folder as an archive with one folder at its top. */
export function checkRaw(told: Told, view: model.View, path: string): void {
  const reached = model.reach(view, path)
  if (!isVerdict(told, reached) || typeof reached === 'string') return
  const { thing } = reached
  if (thing.kind === 'file') {
    holds(told.body.toString() === thing.text, told, thing)
    return
  }
  const entries = zipEntries(told.body).filter(({ name }) => !name.endsWith('_errors.txt'))
  const told1 = entries.map(({ name, content }): [string, string | null] => [
    name.replace(/^[^/]*\//, '').replace(/\/$/, ''),
    name.endsWith('/') ? null : Buffer.from(content, 'latin1').toString(),
  ])
  same(
    told,
    told1.filter(([name]) => name !== ''),
    model.archived(view, path, reached),
  )
}

/** Everything below a folder, by a search for any name or by the recursive listing. */
function checkBelow(
  told: Told,
  view: model.View,
  { path, read }: { path: string; read: (hit: { path: string }) => string },
): void {
  const reached = model.reach(view, path)
  if (typeof reached !== 'string' && reached.thing.kind === 'file') {
    holds(told.status === 400, told, 'a file is no folder')
    return
  }
  if (!isVerdict(told, reached) || typeof reached === 'string') return
  const found = model.below(view, path, reached)
  const names = new Set<string>(JSON.parse(told.body.toString()).map(read))
  const mayTell = new Set(found.map((each) => each.path))
  for (const name of names) holds(mayTell.has(name), told, { mayNotTell: name })
  // What lies below a denied folder and is allowed again may be told or not: there is no way to it but its address.
  for (const each of found) holds(!each.openly || names.has(each.path), told, { mustTell: each.path })
}

/** Asks for a path in every way of reading, and checks each answer. @param place.sent the path as it is sent */
export async function checkReading(
  ask: (method: string, path: string) => Promise<Told>,
  view: model.View,
  { path, sent }: { path: string; sent: string },
): Promise<void> {
  const [look, raw, archive, search, all, selected, usage, preview] = await Promise.all([
    ask('GET', `/api/resources${sent}`),
    ask('GET', `/api/raw${sent}`),
    ask('GET', `/api/raw${sent}?algo=zip`),
    ask('GET', `/api/search${sent}?query=`),
    ask('GET', `/api/resources/recursive${sent}`),
    ask('GET', `/api/raw/?algo=zip&files=${encodeURIComponent(sent)}`),
    ask('GET', `/api/usage${sent}`),
    ask('GET', `/api/preview/thumb${sent}`),
  ])
  checkLook(look, view, path)
  checkRaw(raw, view, path)
  checkRaw(archive, view, path)
  checkBelow(search, view, { path, read: (hit) => hit.path })
  checkBelow(all, view, { path, read: (hit) => hit.path.slice(path === '/' ? 1 : path.length + 1) })
  const reached = model.reach(view, path)
  isVerdict(usage, reached)
  // A text is no picture. Only who may read the text gets that answer.
  if (typeof reached === 'string') isVerdict(preview, reached)
  else holds([405, 415].includes(preview.status), preview, { reached: reached.inside })
  if (!isVerdict(selected, reached) || typeof reached === 'string') return
  if (reached.thing.kind === 'file') {
    same(
      selected,
      zipEntries(selected.body).map(({ content }) => Buffer.from(content, 'latin1').toString()),
      [reached.thing.text],
    )
  } else checkRaw(selected, view, path)
}
