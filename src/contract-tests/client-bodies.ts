import type { RecordedCall } from './clients.ts'
import type { Person, Place } from './place.ts'

/** The size of the pieces of an upload, in bytes. */
export const piece = 10 * 1024 ** 2
export const linkPassword = 'the password of a link'

/** The headers of a piece of an upload (tus 1.0). */
export const headersOfPiece = (offset: number) => ({
  'Content-Type': 'application/offset+octet-stream',
  'Upload-Offset': String(offset),
  'Tus-Resumable': '1.0.0',
})

interface Sender {
  place: Place
  me: Person
  /** The name of the user that the recorded calls create. */
  username: string
  version: string
  given: { otherId: string }
}

/** The body of each call, and the headers that depend on the call. A body of `undefined` means none. */
export function bodies({ place, me, username, version, given }: Sender) {
  const proof = version === '2.63.23' ? { current_password: me.password } : {}
  const password = `${me.password}-2`
  const json: Record<string, () => Promise<object> | object> = {
    'POST /api/login': () => ({ username: me.username, password: me.password, recaptcha: '' }),
    'PUT /api/users/1': () => ({
      what: 'user',
      which: ['viewMode'],
      data: { id: me.id, viewMode: 'mosaic' },
    }),
    'PUT /api/settings': async () => (await me.call('GET', '/api/settings')).json<object>(),
    'POST /api/users': async () => {
      const { id: _, ...mine } = (await me.call('GET', `/api/users/${me.id}`)).json<{
        id: number
        perm: object
      }>()
      const data = { ...mine, perm: { ...mine.perm, admin: false }, username, password }
      return { what: 'user', which: [], data, ...proof }
    },
    'PUT /api/users/2': async () => {
      const theirs = (await me.call('GET', `/api/users/${given.otherId}`)).json<object>()
      return { what: 'user', which: ['all'], data: { ...theirs, password: '' }, ...proof }
    },
    'DELETE /api/users/2': () => proof,
    'POST /api/signup': () => ({ username, password: 'short' }),
    'POST /api/share/wide.png?expires=2&unit=hours': () => ({ password: '', expires: '2', unit: 'hours' }),
    'POST /api/share/readme.md': () => ({ password: linkPassword, expires: '', unit: 'hours' }),
  }
  return {
    async body({ method, address, carries, sent }: RecordedCall): Promise<string | Buffer | undefined> {
      if (sent === 0) return undefined
      if (address === '/api/login' && carries === 'nothing')
        return JSON.stringify({ username, password, recaptcha: '' })
      const made = json[`${method} ${address}`]
      if (made) return JSON.stringify(await made())
      return address.startsWith('/api/share/') ? '{}' : Buffer.alloc(sent, 'x')
    },
    headers(call: RecordedCall): Record<string, string> {
      const { method, address, sent } = call
      if (method === 'WS') return upgrade(place.base)
      if (address.startsWith('/api/tus/')) return headersOfTus(call)
      // Newer clients request a text as its bytes (contract/compatibility.md#listings-and-files). They send this
      // header with every listing too.
      if (address.startsWith('/api/resources/')) return readsBytes(call, version)
      // The content type that `fetch` sets for a text body. For an uploaded file of unknown type it sets none.
      return sent > 0 ? { 'Content-Type': 'text/plain;charset=UTF-8' } : {}
    },
  }
}

const readsBytes = ({ method }: RecordedCall, version: string): Record<string, string> =>
  method === 'GET' && version === '2.63.23' ? { 'X-Encoding': 'true' } : {}

function headersOfTus({ method, address, sent }: RecordedCall): Record<string, string> {
  if (method === 'PATCH') return headersOfPiece(0)
  const length = /big30/.test(address) ? 3 * piece : uploadLength(address)
  return { 'Tus-Resumable': '1.0.0', 'Upload-Length': String(sent || length) }
}

/** The sizes of the files whose pieces are in the recording. */
function uploadLength(address: string): number {
  const sizes = { 'small%20up': 13, hello: 19, 'auf%20': 8, 'f1.txt': 3, 'f2.txt': 3 }
  return Object.entries(sizes).find(([name]) => address.includes(name))?.[1] ?? 0
}

function upgrade({ protocol, host }: URL): Record<string, string> {
  return {
    Connection: 'Upgrade',
    Upgrade: 'websocket',
    Origin: `${protocol}//${host}`,
    'Sec-WebSocket-Version': '13',
    'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
  }
}
