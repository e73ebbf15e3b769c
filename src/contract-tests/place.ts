import { randomBytes } from 'node:crypto'
import { posix } from 'node:path'
import { type Call, connect, type Reply, withToken } from './client.ts'

/** The server that is tried, and an administrator's account there. */
export interface Where {
  base: string
  username: string
  password: string
}

/** Somebody with an account of this run. */
export interface Person {
  id: number
  username: string
  password: string
  token: string
  /** Sends with this person's token. */
  call: Call
}

/** What every rule is tried with: a folder of its own on the server, and people whose whole scope it is. */
export interface Place {
  base: URL
  /** Sends without a token. */
  call: Call
  admin: Person
  /** May do everything but administer and execute. */
  ann: Person
  /** May look and nothing else. */
  guest: Person
  /** The folder from the administrator's scope, without a closing slash; for the others it is `/`. */
  folder: string
  /** Makes a folder in it with these files, and answers its path for `ann`, without a closing slash. */
  room(files?: Readonly<Record<string, string>>): Promise<string>
  /** Adds an account that is removed with the rest; `room` is its scope, else the whole folder is. */
  addPerson(perm: Readonly<Record<string, boolean>>, room?: string): Promise<Person>
  login(username: string, password: string): Promise<Reply>
  /** Removes all that the run has made. */
  close(): Promise<void>
}

const everything = { create: true, rename: true, modify: true, delete: true, share: true, download: true }
const nothing = Object.fromEntries(Object.keys(everything).map((right) => [right, false]))

/** Signs in and makes the folder and the people. @throws Error when the administrator is none, or it cannot be made. */
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
  await must(admin.call('POST', `/api/resources${folder}/`))
  const scope = await scopeOf(admin, folder)
  const added: Person[] = []

  async function addPerson(perm: Readonly<Record<string, boolean>>, room = ''): Promise<Person> {
    const username = `contract-${randomBytes(6).toString('hex')}`
    const password = randomBytes(12).toString('base64url')
    const rights = { admin: false, execute: false, ...perm }
    const data = { ...plainUser, username, password, scope: `${scope}${room}`, perm: rights }
    await must(admin.call('POST', '/api/users', { body: { what: 'user', which: [], data } }))
    const person = await signIn(call, await login(username, password), password)
    added.push(person)
    return person
  }

  let rooms = 0
  async function room(files: Readonly<Record<string, string>> = {}): Promise<string> {
    const path = `/room${++rooms}`
    await must(admin.call('POST', `/api/resources${folder}${path}/`))
    for (const [name, body] of Object.entries(files)) {
      await must(admin.call('POST', `/api/resources${folder}${path}/${name}`, { body }))
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

/** What a token says of its bearer (contract/README.md#sessions). */
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
  if (reply.status !== 200) throw new Error(`the sign-in answers ${reply.status} ${reply.text}`)
  const token = reply.text
  const { id, username } = claimsOf(token).user
  return { id, username, password, token, call: withToken(call, token) }
}

async function scopeOf(admin: Person, folder: string): Promise<string> {
  const { scope } = (await must(admin.call('GET', `/api/users/${admin.id}`))).json<{ scope: string }>()
  return posix.join('/', scope, folder)
}

async function must(asked: Promise<Reply>): Promise<Reply> {
  const reply = await asked
  if (reply.status >= 300) throw new Error(`what the run needs cannot be made: ${reply.status} ${reply.text}`)
  return reply
}
