// Sessions, shares and events: what begins and ends again.
import { signIn, user } from '../bench/coffer.ts'
import { deleteForever } from './changing.ts'
import { check } from './client.ts'
import { type Person, resource } from './person.ts'
import { fewCount, textOf } from './served-files.ts'

const eventMs = 10_000

/** Signs in, and signs out of the session before. Thus no session becomes old in a long run. */
export async function changeSession(person: Person): Promise<void> {
  const before = person.headers
  await person.client.begin()
  person.headers = await signIn(person.client.port, user)
  const sessions = await person.read('/api/sessions')
  check(
    sessions.some(({ current }: { current: boolean }) => current),
    'the new session is not listed',
  )
  await person.client.send('/api/logout', { method: 'POST', headers: before })
  await person.client.send(resource('/few/'), { headers: before, status: 401 })
}

export async function visitShare(person: Person): Promise<void> {
  const { hash } = await person.read('/api/share/few?expires=1&unit=hours', { method: 'POST' })
  // The visitor has no session.
  const { client } = person
  const listing = JSON.parse((await client.send(`/api/public/share/${hash}`)).bytes.toString())
  check(listing.items.length === fewCount, `the shared folder has ${listing.items.length} items`)
  const number = person.next() % fewCount
  const { bytes } = await client.send(`/api/public/dl/${hash}/few%20${number}.txt`)
  check(bytes.equals(textOf(number)), 'the content of a shared file is wrong')
  await person.send(`/api/share/${hash}`, { method: 'DELETE' })
  await client.send(`/api/public/share/${hash}`, { status: 404 })
}

/** Connects to the events, shows a folder, waits for a change in it, and disconnects. */
export async function receiveChange(person: Person): Promise<void> {
  const connection = new AbortController()
  const timeout = setTimeout(() => connection.abort(new Error('no event has arrived')), eventMs)
  try {
    const { headers, folder } = person
    const reply = await person.client.open('/api/events', { headers }, connection.signal)
    const received = textsOf(reply)
    const hello = await textWith(received, /^event: hello\ndata: (.*)$/m)
    const { id } = JSON.parse(hello)
    const body = JSON.stringify({ folders: [folder] })
    const json = { 'content-type': 'application/json' }
    await person.send(`/api/events/${id}`, { method: 'PUT', headers: json, body })
    const name = `event ${person.next()}.txt`
    await person.send(resource(`${folder}/${name}`), { method: 'POST', body: name })
    await textWith(received, new RegExp(`^(event: change\ndata: .*"${name}".*)$`, 'm'))
    await deleteForever(person, `${folder}/${name}`)
  } finally {
    clearTimeout(timeout)
    connection.abort()
  }
}

/** The text that has arrived so far, each time that more arrives. */
async function* textsOf(reply: Response): AsyncGenerator<string> {
  let text = ''
  const decoder = new TextDecoder()
  for await (const part of reply.body ?? []) {
    text += decoder.decode(part, { stream: true })
    yield text
  }
}

/** Returns the first group of the expression as soon as the text matches it. @throws Error when the text ends. */
async function textWith(received: AsyncGenerator<string>, expression: RegExp): Promise<string> {
  for (;;) {
    // Not `for await`, which would end the generator.
    const { value, done } = await received.next()
    if (done) throw new Error('the events have ended')
    const found = expression.exec(value)?.[1]
    if (found !== undefined) return found
  }
}
