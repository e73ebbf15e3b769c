// Files, users, settings and shares that change while the server is killed, and the valid values of each afterwards.
import { createHash, randomInt, randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Paths, type Server, UnexpectedResponse, withCurrentPassword } from './server.ts'

/** One value on the server, changed by one request after another. */
export interface TrackedValue {
  readonly name: string
  /** The valid values: the last acknowledged one, and those that were requested since without a response. */
  validValues: string[]
  /** Requests one change. When it is acknowledged, removes the older valid values. */
  change(server: Server): Promise<void>
  /** Reads the current value, in the form of `may`. */
  read(): Promise<string>
}

const absent = 'absent'
const mostBytes = 1024 * 1024

/** Requests a change to `value`. @throws when there is no response, or when the server refuses. */
async function requestChange(
  cell: Pick<TrackedValue, 'name' | 'validValues'>,
  value: string,
  call: Promise<Response>,
): Promise<Response> {
  cell.validValues.push(value)
  const reply = await call
  if (!reply.ok) throw new UnexpectedResponse(`${cell.name}: ${reply.status} ${await reply.text()}`)
  cell.validValues.splice(0, cell.validValues.length - 1)
  return reply
}

function content(): { bytes: Buffer; value: string } {
  // Many small files and some large ones. The bytes are fast to make and differ in each file.
  const size = randomInt(4) ? randomInt(20_000) : randomInt(mostBytes)
  const bytes = createHash('shake256', { outputLength: size }).update(randomUUID()).digest()
  return { bytes, value: digest(bytes) }
}

function digest(bytes: Buffer): string {
  return `${bytes.length} bytes ${createHash('sha256').update(bytes).digest('hex')}`
}

/** A file that is uploaded, overwritten, sent in a form, or deleted. */
function file(place: Paths, name: string, how: 'POST' | 'PUT' | 'form' | 'DELETE'): TrackedValue {
  const cell: TrackedValue = {
    name,
    validValues: [absent],
    async change(server) {
      const path = `/api/resources/${name}`
      if (how === 'DELETE' && cell.validValues[0] !== absent) {
        await requestChange(cell, absent, server.call('DELETE', path))
        return
      }
      const { bytes, value } = content()
      if (how === 'form') await requestChange(cell, value, sendForm(server, name, bytes))
      else {
        const method = how === 'PUT' ? 'PUT' : 'POST'
        await requestChange(
          cell,
          value,
          server.call(method, `${path}?override=true`, bytes, 'application/octet-stream'),
        )
      }
    },
    read: () =>
      readFile(join(place.root, name)).then(digest, (error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return absent
        throw error
      }),
  }
  return cell
}

function sendForm(server: Server, name: string, bytes: Buffer): Promise<Response> {
  const head = `--frame\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\n\r\n`
  const body = Buffer.concat([Buffer.from(head), bytes, Buffer.from('\r\n--frame--\r\n')])
  return server.call('POST', '/api/resources/?override=true', body, 'multipart/form-data; boundary=frame')
}

interface State {
  users: Record<string, { username: string; locale: string }>
  settings: { branding: { name: string } }
  shares: Record<string, { hash: string; path: string }>
}

async function stateOf({ state }: Paths): Promise<State> {
  return JSON.parse(await readFile(state, 'utf8'))
}

function setting(place: Paths): TrackedValue {
  const cell: TrackedValue = {
    name: 'the name of the instance',
    validValues: [''],
    async change(server) {
      const name = randomUUID()
      await requestChange(
        cell,
        name,
        server.call('PUT', '/api/settings', withCurrentPassword({ branding: { name } })),
      )
    },
    read: async () => (await stateOf(place)).settings.branding.name,
  }
  return cell
}

const locales = ['de', 'en', 'fr', 'pl', 'ja']

/** A user that is created, changed and deleted. */
function user(place: Paths, username: string): TrackedValue {
  const cell: TrackedValue = {
    name: `user ${username}`,
    validValues: [absent],
    async change(server) {
      const list = (await (await server.call('GET', '/api/users')).json()) as (State['users'][string] & {
        id: number
      })[]
      const known = list.find((one) => one.username === username)
      const locale = locales[randomInt(locales.length)] ?? 'en'
      const password = 'not easy to guess at all'
      if (!known) {
        const data = { username, password, scope: '/', locale }
        await requestChange(
          cell,
          locale,
          server.call('POST', '/api/users', withCurrentPassword({ what: 'user', which: [], data })),
        )
      } else if (randomInt(3)) {
        const body = withCurrentPassword({ what: 'user', which: ['locale'], data: { id: known.id, locale } })
        await requestChange(cell, locale, server.call('PUT', `/api/users/${known.id}`, body))
      } else {
        await requestChange(
          cell,
          absent,
          server.call('DELETE', `/api/users/${known.id}`, withCurrentPassword({})),
        )
      }
    },
    async read() {
      const { users } = await stateOf(place)
      return Object.values(users).find((one) => one.username === username)?.locale ?? absent
    },
  }
  return cell
}

/** A share that is created and deleted. Its id is unknown until the creation is acknowledged. */
function share(place: Paths, path: string): TrackedValue {
  const any = 'any share'
  const cell: TrackedValue = {
    name: `the share of ${path}`,
    validValues: [absent],
    async change(server) {
      const [known = absent] = cell.validValues
      if (known !== absent) {
        await requestChange(cell, absent, server.call('DELETE', `/api/share/${known}`))
        return
      }
      const reply = await requestChange(
        cell,
        any,
        server.call('POST', `/api/share${path}`, '{"expires":"1","unit":"days"}'),
      )
      cell.validValues = [((await reply.json()) as { hash: string }).hash]
    },
    async read() {
      const { shares } = await stateOf(place)
      const hash = Object.values(shares).find((one) => one.path === path)?.hash ?? absent
      return hash !== absent && cell.validValues.includes(any) && !cell.validValues.includes(hash)
        ? acceptShare(cell, hash)
        : hash
    },
  }
  return cell
}

/** Adds the id of a share that was created without an acknowledgement to the valid values. */
function acceptShare(cell: TrackedValue, hash: string): string {
  cell.validValues.push(hash)
  return hash
}

/** Creates all cells. The files `/linked-…` must exist, because the shares need them. */
export function createTrackedValues(place: Paths): TrackedValue[] {
  const kinds = ['POST', 'PUT', 'form', 'DELETE'] as const
  const numbers = [0, 1, 2, 3]
  return [
    ...kinds.flatMap((how) => numbers.map((n) => file(place, `${how.toLowerCase()}-${n}.bin`, how))),
    setting(place),
    ...numbers.map((n) => user(place, `user-${n}`)),
    ...numbers.map((n) => share(place, `/linked-${n}.txt`)),
  ]
}
