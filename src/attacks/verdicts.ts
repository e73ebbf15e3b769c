import { foreignContent } from './arbitrary.ts'
import * as model from './reference.ts'
import { zipEntries } from './unpack.ts'

/** A response to a request. */
export interface CheckedResponse {
  request: string
  status: number
  body: Buffer
}

/** Throws if `isTrue` is false. fast-check then reports the smallest world that fails. */
export function assertThat(
  isTrue: boolean,
  { request, status, body }: CheckedResponse,
  expected: unknown,
): void {
  if (isTrue) return
  const text = body.toString('latin1').slice(0, 300)
  throw new Error(`${request} responds with ${status} ${text}\nexpected ${JSON.stringify(expected)}`)
}

/**
 * Checks that a response gives what may be reached and refuses the rest without revealing anything. Returns whether
 * it was reached.
 */
export function checkAccess(response: CheckedResponse, reached: ReturnType<typeof model.reach>): boolean {
  assertThat(!response.body.includes(foreignContent), response, 'nothing foreign')
  if (reached === 'denied') assertThat(response.status === 403, response, reached)
  else if (reached === 'missing')
    assertThat(response.status === 403 || response.status === 404, response, reached)
  else assertThat(response.status === 200, response, { reached: reached.pathInScope })
  return typeof reached !== 'string'
}

/** Checks that a response has the same elements as the model, in any order. */
export const assertSame = (response: CheckedResponse, one: Iterable<unknown>, other: Iterable<unknown>) => {
  const [has, wants] = [JSON.stringify([...one].sort()), JSON.stringify([...other].sort())]
  assertThat(has === wants, response, wants)
}

/** Checks a listing, or a file with its text. */
export function checkResource(response: CheckedResponse, view: model.View, path: string): void {
  const reached = model.reach(view, path)
  if (!checkAccess(response, reached) || typeof reached === 'string') return
  const parsed = JSON.parse(response.body.toString())
  if (reached.entry.kind === 'file') {
    assertThat(parsed.content === reached.entry.text, response, reached.entry)
    return
  }
  const items = parsed.items.map(({ name, type }: { name: string; type: string }) => [
    name,
    type === 'invalid_link',
  ])
  assertSame(response, items, model.listing(view, path, reached))
}

/** Checks the bytes of a file, or a folder as an archive with one top folder. */
export function checkRaw(response: CheckedResponse, view: model.View, path: string): void {
  const reached = model.reach(view, path)
  if (!checkAccess(response, reached) || typeof reached === 'string') return
  const { entry } = reached
  if (entry.kind === 'file') {
    assertThat(response.body.toString() === entry.text, response, entry)
    return
  }
  const entries = zipEntries(response.body).filter(({ name }) => !name.endsWith('_errors.txt'))
  const found = entries.map(({ name, content }): [string, string | null] => [
    name.replace(/^[^/]*\//, '').replace(/\/$/, ''),
    name.endsWith('/') ? null : Buffer.from(content, 'latin1').toString(),
  ])
  assertSame(
    response,
    found.filter(([name]) => name !== ''),
    model.archiveContent(view, path, reached),
  )
}

/** Checks everything below a folder, found by a search for any name or by the recursive listing. */
function checkBelow(
  response: CheckedResponse,
  view: model.View,
  { path, read }: { path: string; read: (hit: { path: string }) => string },
): void {
  const reached = model.reach(view, path)
  if (typeof reached !== 'string' && reached.entry.kind === 'file') {
    assertThat(response.status === 400, response, 'a file is no folder')
    return
  }
  if (!checkAccess(response, reached) || typeof reached === 'string') return
  const found = model.descendantsOf(view, path, reached)
  const names = new Set<string>(JSON.parse(response.body.toString()).map(read))
  const mayShow = new Set(found.map((each) => each.path))
  for (const name of names) assertThat(mayShow.has(name), response, { mayNotTell: name })
  // An allowed entry below a denied folder may be shown or not: it can be reached only by its address.
  for (const each of found)
    assertThat(!each.isReachable || names.has(each.path), response, { mustTell: each.path })
}

/** Requests a path with every reading call and checks each response. @param place.sent the path as it is sent */
export async function checkReading(
  ask: (method: string, path: string) => Promise<CheckedResponse>,
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
  checkResource(look, view, path)
  checkRaw(raw, view, path)
  checkRaw(archive, view, path)
  checkBelow(search, view, { path, read: (hit) => hit.path })
  checkBelow(all, view, { path, read: (hit) => hit.path.slice(path === '/' ? 1 : path.length + 1) })
  const reached = model.reach(view, path)
  checkAccess(usage, reached)
  // A text is not a picture. Only a user who may read the text gets that response.
  if (typeof reached === 'string') checkAccess(preview, reached)
  else assertThat([405, 415].includes(preview.status), preview, { reached: reached.pathInScope })
  if (!checkAccess(selected, reached) || typeof reached === 'string') return
  if (reached.entry.kind === 'file') {
    assertSame(
      selected,
      zipEntries(selected.body).map(({ content }) => Buffer.from(content, 'latin1').toString()),
      [reached.entry.text],
    )
  } else checkRaw(selected, view, path)
}
