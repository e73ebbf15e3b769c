import { deepEqual } from 'node:assert/strict'
import type { Call, Extra, Reply } from './client.ts'
import { bodies, headersOfPiece, linkPassword, piece } from './client-bodies.ts'
import type { RecordedCall } from './clients.ts'
import type { Person, Place } from './place.ts'

/**
 * A folder with the files of the recorded calls, an administrator whose scope it is, and the results of earlier
 * calls.
 */
export interface Day {
  call: Call
  tokenFor(call: RecordedCall): string
  addressOf(call: RecordedCall): string
  extraOf(call: RecordedCall): Promise<Pick<Extra, 'headers' | 'body'>>
  /**
   * Stores what later calls need from the response. @returns what is wrong with the response; undefined if nothing
   * is.
   */
  faultOf(call: RecordedCall, reply: Reply): Promise<string | undefined>
  /** @throws AssertionError if the files on disk are not as the calls should have left them. */
  checkDisk(): Promise<void>
}

const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
  'base64',
)
const megabyte = 1024 ** 2

/** Every file that the calls read or change. */
const files: Readonly<Record<string, string | Buffer>> = {
  'manyfiles/1.txt': '1',
  'Grüße & co/a b#c%25 +.txt': 'odd',
  'docs/deep/er/needle-file.txt': 'needle',
  'target/there.txt': '',
  ...Object.fromEntries(
    [
      'rename-me',
      'copy-me',
      'move-me',
      'a-drag',
      'paste-me',
      'delete-me',
      'hello',
      'edit-me',
      'to-empty',
    ].map((name) => [`${name}.txt`, name]),
  ),
  'kopie ä +.txt': 'kopie',
  'zug ö.txt': 'zug',
  'Mappe ü 1/in.txt': 'in',
  'to-delete/in.txt': '',
  'wide.png': pixel,
  'pic.png': pixel,
  'tone.wav': 'RIFF',
  'clip.mp4': 'film',
  'clip.vtt': 'WEBVTT\n\n00:00.000 --> 00:01.000\nHello\n',
  'paper.pdf': '%PDF-1.4\n',
  'table.csv': 'a,b\n',
  'readme.md': '# Read me',
  'b-large.bin': Buffer.alloc(megabyte, 7),
  'pack/one.txt': 'one',
  'pack/sub/two.txt': 'two',
}

const bigFile = '/api/tus/target/big30.bin'

/** Creates the folder and the user. The user is removed with the rest of the place. */
export async function openDay(place: Place, version: string): Promise<Day> {
  const folder = await place.room()
  for (const [name, body] of Object.entries(files)) await upload(place, `${folder}/${name}`, body)
  const rights = ['admin', 'create', 'rename', 'modify', 'delete', 'share', 'download', 'execute']
  const me = await place.addPerson(Object.fromEntries(rights.map((right) => [right, true])), folder)
  return dayOf(place, me, version)
}

async function upload({ admin, folder }: Place, path: string, body: string | Buffer): Promise<void> {
  const { status, text } = await admin.call('POST', `/api/resources${folder}${encoded(path)}`, { body })
  if (status !== 200) throw new Error(`${path} cannot be made: ${status} ${text}`)
}

/**
 * Results of earlier calls: the tokens of both users, the id of the second one, the last share and a ticket for it.
 */
interface EarlierResults {
  token: string
  other: string
  otherId: string
  link: string
  ticket: string
}

const encoded = (path: string) => path.split('/').map(encodeURIComponent).join('/')

function dayOf(place: Place, me: Person, version: string): Day {
  const given: EarlierResults = { token: me.token, other: '', otherId: '', link: '', ticket: '' }
  const username = `${me.username}-2`
  const { body: bodyOf, headers } = bodies({ place, me, username, version, given })
  return {
    call: place.call,
    tokenFor: ({ carries }) => (carries === 'header' && given.other ? given.other : given.token),
    addressOf: ({ address }) =>
      address
        .replace('TOKEN', given.token)
        .replace('TICKET', given.ticket)
        .replace('LINK', given.link)
        .replace('TIME', '1700000000')
        .replace(/^\/api\/users\/([12])$/, (_, id) => `/api/users/${id === '1' ? me.id : given.otherId}`),
    async extraOf(call) {
      const body = await bodyOf(call)
      return { headers: headers(call), ...(body !== undefined && { body }) }
    },
    async faultOf(call, reply) {
      if (reply.status < 300) Object.assign(given, await extract(call, reply, me))
      const expected = statusesOf(call)
      if (expected.includes(reply.status)) return undefined
      return `status ${reply.status}, not ${expected.join(' or ')}: ${reply.text.slice(0, 120)}`
    },
    checkDisk: () => checkDisk(me, version),
  }
}

/** Extracts what later calls need from a response, by method, URL and credentials of the call. */
const extractors: readonly [
  RegExp,
  (reply: Reply, me: Person) => Partial<EarlierResults> | Promise<Partial<EarlierResults>>,
][] = [
  [/^POST \/api\/renew header, cookie$/, ({ text }) => ({ token: text })],
  [/^POST \/api\/login nothing$/, ({ text }) => ({ other: text })],
  [/^POST \/api\/users /, ({ headers }) => ({ otherId: headers.location?.split('/').pop() ?? '' })],
  [/^DELETE \/api\/users\/2 /, () => ({ other: '' })],
  [/^POST \/api\/share\//, unlockShare],
  [/^PATCH \/api\/tus\/target\/big30/, (_, me) => sendRest(me)],
]

async function extract(call: RecordedCall, reply: Reply, me: Person): Promise<Partial<EarlierResults>> {
  const key = `${call.method} ${call.address} ${call.carries}`
  const [, extractFrom] = extractors.find(([pattern]) => pattern.test(key)) ?? []
  return (await extractFrom?.(reply, me)) ?? {}
}

async function unlockShare(reply: Reply, { call }: Person): Promise<Partial<EarlierResults>> {
  const { hash } = reply.json<{ hash: string }>()
  const headers = { 'X-Share-Password': encodeURIComponent(linkPassword) }
  const unlocked = await call('GET', `/api/public/share/${hash}`, { headers })
  return { link: hash, ticket: unlocked.json<{ token?: string }>().token ?? '' }
}

/** The recording has the first of three pieces. The others differ only in a header. */
async function sendRest(me: Person): Promise<Partial<EarlierResults>> {
  for (const offset of [piece, 2 * piece]) {
    const sent = await me.call('PATCH', bigFile, {
      headers: headersOfPiece(offset),
      body: Buffer.alloc(piece),
    })
    if (sent.status !== 204) throw new Error(`the piece at ${offset} returned ${sent.status} ${sent.text}`)
  }
  return {}
}

/** The statuses that let a client continue. Command sockets and sign-ups are refused while they are disabled. */
function statusesOf({ method, address }: RecordedCall): number[] {
  if (address.includes('nothing-here')) return [404]
  if (method === 'WS') return [101, 403]
  if (address === '/api/signup') return [200, 405]
  if (method === 'POST' && address === '/api/users') return [201]
  if (address.startsWith('/api/tus/')) return [method === 'POST' ? 201 : 204]
  return [200]
}

async function checkDisk(me: Person, version: string): Promise<void> {
  const names = async (path: string) => {
    const reply = await me.call('GET', `/api/resources/${encoded(path)}`)
    return reply.json<{ items: { name: string }[] }>().items.map(({ name }) => name)
  }
  const isNewest = version === '2.63.23'
  const removed = ['rename-me.txt', 'move-me.txt', 'a-drag.txt', 'delete-me.txt', 'to-delete']
  const root = await names('')
  deepEqual(
    root.filter((name) => removed.includes(name)),
    [],
  )
  deepEqual(root.includes(isNewest ? 'renamed ünï.txt' : '50% & more+1 #2.txt'), true, root.join(', '))
  const target = await names('target/')
  for (const name of [
    'copy-me.txt',
    'move-me.txt',
    'a-drag.txt',
    'paste-me.txt',
    'small up.txt',
    'big30.bin',
  ])
    deepEqual(target.includes(name), true, `${name} is not in ${target.join(', ')}`)
  if (isNewest) deepEqual(target.includes('Mappe ü 1'), true, target.join(', '))
  const odd = ['a b#c%25 +.txt', 'kopie ä +.txt', ...(isNewest ? ['zug ö.txt'] : [])]
  deepEqual((await names('Grüße & co/')).sort(), odd)
  const { size } = (await me.call('GET', '/api/resources/target/big30.bin')).json<{ size: number }>()
  deepEqual(size, 3 * piece)
  const { content } = (await me.call('GET', '/api/resources/edit-me.txt')).json<{ content: string }>()
  deepEqual(content, 'x'.repeat(36))
}
