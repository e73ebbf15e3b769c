// Files, users, settings and shares that change while the server is killed, and the valid values of each afterwards.
import { createHash, randomInt, randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Place, proven, type Server } from './server.ts'

/** One value on the server, changed by one request after another. */
export interface Cell {
  readonly name: string
  /** The valid values: the last acknowledged one, and those that were requested since without a response. */
  may: string[]
  /** Requests one change. When it is acknowledged, removes the older valid values. */
  change(server: Server): Promise<void>
  /** Reads the current value, in the form of `may`. */
  read(): Promise<string>
}

const absent = 'absent'
const mostBytes = 1024 * 1024

/** Requests a change to `value`. @throws when there is no response, or when the server refuses. */
async function requestChange(
  cell: Pick<Cell, 'name' | 'may'>,
  value: string,
  call: Promise<Response>,
): Promise<Response> {
  cell.may.push(value)
  const reply = await call
  if (!reply.ok) throw new Refused(`${cell.name}: ${reply.status} ${await reply.text()}`)
  cell.may.splice(0, cell.may.length - 1)
  return reply
}

/** An unexpected response: the server was running and refused. */
export class Refused extends Error {}

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
function file(place: Place, name: string, how: 'POST' | 'PUT' | 'form' | 'DELETE'): Cell {
  const cell: Cell = {
    name,
    may: [absent],
    async change(server) {
      const path = `/api/resources/${name}`
      if (how === 'DELETE' && cell.may[0] !== absent) {
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

async function stateOf({ state }: Place): Promise<State> {
  return JSON.parse(await readFile(state, 'utf8'))
}

function setting(place: Place): Cell {
  const cell: Cell = {
    name: 'the name of the instance',
    may: [''],
    async change(server) {
      const name = randomUUID()
      await requestChange(cell, name, server.call('PUT', '/api/settings', proven({ branding: { name } })))
    },
    read: async () => (await stateOf(place)).settings.branding.name,
  }
  return cell
}

const locales = ['de', 'en', 'fr', 'pl', 'ja']

/** A user that is created, changed and deleted. */
function user(place: Place, username: string): Cell {
  const cell: Cell = {
    name: `user ${username}`,
    may: [absent],
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
          server.call('POST', '/api/users', proven({ what: 'user', which: [], data })),
        )
      } else if (randomInt(3)) {
        const body = proven({ what: 'user', which: ['locale'], data: { id: known.id, locale } })
        await requestChange(cell, locale, server.call('PUT', `/api/users/${known.id}`, body))
      } else {
        await requestChange(cell, absent, server.call('DELETE', `/api/users/${known.id}`, proven({})))
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
function share(place: Place, path: string): Cell {
  const any = 'some link'
  const cell: Cell = {
    name: `the link to ${path}`,
    may: [absent],
    async change(server) {
      const [known = absent] = cell.may
      if (known !== absent) {
        await requestChange(cell, absent, server.call('DELETE', `/api/share/${known}`))
        return
      }
      const reply = await requestChange(
        cell,
        any,
        server.call('POST', `/api/share${path}`, '{"expires":"1","unit":"days"}'),
      )
      cell.may = [((await reply.json()) as { hash: string }).hash]
    },
    async read() {
      const { shares } = await stateOf(place)
      const hash = Object.values(shares).find((one) => one.path === path)?.hash ?? absent
      return hash !== absent && cell.may.includes(any) && !cell.may.includes(hash)
        ? acceptShare(cell, hash)
        : hash
    },
  }
  return cell
}

/** Adds the id of a share that was created without an acknowledgement to the valid values. */
function acceptShare(cell: Cell, hash: string): string {
  cell.may.push(hash)
  return hash
}

/** Creates all cells. The files `/linked-…` must exist, because the shares need them. */
export function makeCells(place: Place): Cell[] {
  const kinds = ['POST', 'PUT', 'form', 'DELETE'] as const
  const numbers = [0, 1, 2, 3]
  return [
    ...kinds.flatMap((how) => numbers.map((n) => file(place, `${how.toLowerCase()}-${n}.bin`, how))),
    setting(place),
    ...numbers.map((n) => user(place, `user-${n}`)),
    ...numbers.map((n) => share(place, `/linked-${n}.txt`)),
  ]
}
