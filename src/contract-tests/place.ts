import { randomBytes } from 'node:crypto'
import { posix } from 'node:path'
import { type Call, connect, type Reply, withToken } from './client.ts'

/** The server under test, and an administrator's account on it. */
export interface Where {
  base: string
  username: string
  password: string
}

/** A user of this run. */
export interface Person {
  id: number
  username: string
  password: string
  token: string
  /** Sends requests with this user's token. */
  call: Call
}

/** The fixture of every rule: a folder on the server, and users whose scope it is. */
export interface Place {
  base: URL
  /** Sends requests without a token. */
  call: Call
  admin: Person
  /** Has every permission except admin and execute. */
  ann: Person
  /** Has no permissions beyond a login. */
  guest: Person
  /** Path of the folder in the administrator's scope, without a trailing slash. For the other users it is `/`. */
  folder: string
  /** Creates a subfolder with these files. Returns its path for `ann`, without a trailing slash. */
  room(files?: Readonly<Record<string, string>>): Promise<string>
  /** Adds a user that is removed at the end. The scope is `room`, or the whole folder without `room`. */
  addPerson(perm: Readonly<Record<string, boolean>>, room?: string): Promise<Person>
  login(username: string, password: string): Promise<Reply>
  /** Removes everything that the run has created. */
  close(): Promise<void>
}

const everything = { create: true, rename: true, modify: true, delete: true, share: true, download: true }
const nothing = Object.fromEntries(Object.keys(everything).map((right) => [right, false]))

/**
 * Logs in and creates the folder and the users. @throws Error if the user is no administrator or the server refuses.
 */
export async function openPlace(where: Where): Promise<Place> {
  const base = new URL(where.base)
  const { call, close } = connect(base)
  const login = (username: string, password: string) =>
    call('POST', '/api/login', {
      headers: { 'Content-Type': 'application/json' },
      body: { username, password, recaptcha: '' },
    })
  const admin = await signIn(call, await login(where.username, where.password), where.password)
  const folder = `/coffer-contract-${randomBytes(6).toString('hex')}`
  await required(admin.call('POST', `/api/resources${folder}/`))
  const scope = await scopeOf(admin, folder)
  const added: Person[] = []

  async function addPerson(perm: Readonly<Record<string, boolean>>, room = ''): Promise<Person> {
    const username = `contract-${randomBytes(6).toString('hex')}`
    const password = randomBytes(12).toString('base64url')
    const rights = { admin: false, execute: false, ...perm }
    const data = { ...plainUser, username, password, scope: `${scope}${room}`, perm: rights }
    await required(admin.call('POST', '/api/users', { body: { what: 'user', which: [], data } }))
    const person = await signIn(call, await login(username, password), password)
    added.push(person)
    return person
  }

  let rooms = 0
  async function room(files: Readonly<Record<string, string>> = {}): Promise<string> {
    const path = `/room${++rooms}`
    await required(admin.call('POST', `/api/resources${folder}${path}/`))
    for (const [name, body] of Object.entries(files)) {
      await required(admin.call('POST', `/api/resources${folder}${path}/${name}`, { body }))
    }
    return path
  }

  return {
    base,
    call,
    admin,
    ann: await addPerson(everything),
    guest: await addPerson(nothing),
    folder,
    room,
    addPerson,
    login,
    async close() {
      for (const { id } of added) await admin.call('DELETE', `/api/users/${id}`)
      await admin.call('DELETE', `/api/resources${folder}/`)
      await admin.call('POST', '/api/logout')
      close()
    },
  }
}

const plainUser = {
  locale: 'en',
  lockPassword: false,
  viewMode: 'list',
  sorting: { by: 'name', asc: false },
  commands: [],
  rules: [],
}

/** The claims of a token (contract/README.md#sessions). */
export interface TokenClaims {
  exp: number
  iat: number
  user: { id: number; username: string }
}

/** Reads the payload of a three-part token. */
export function claimsOf(token: string): TokenClaims {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as TokenClaims
}

async function signIn(call: Call, reply: Reply, password: string): Promise<Person> {
  if (reply.status !== 200) throw new Error(`the login returned ${reply.status} ${reply.text}`)
  const token = reply.text
  const { id, username } = claimsOf(token).user
  return { id, username, password, token, call: withToken(call, token) }
}

async function scopeOf(admin: Person, folder: string): Promise<string> {
  const { scope } = (await required(admin.call('GET', `/api/users/${admin.id}`))).json<{ scope: string }>()
  return posix.join('/', scope, folder)
}

async function required(request: Promise<Reply>): Promise<Reply> {
  const reply = await request
  if (reply.status >= 300) throw new Error(`a request of the fixture returned ${reply.status} ${reply.text}`)
  return reply
}
