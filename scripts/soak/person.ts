import { signIn, user } from '../bench/coffer.ts'
import { type Answer, type Client, encodePath, type Sent } from './client.ts'
import type { ServedFiles } from './served-files.ts'

/** One connection: a session of the user, and a folder that no other connection changes. */
export interface Person {
  readonly client: Client
  readonly files: ServedFiles
  /** The path of the folder. */
  readonly folder: string
  /** The headers of the session. A new sign-in replaces them. */
  headers: { readonly 'X-Auth': string }
  /** Returns a new number. */
  next(): number
  /** Sends a request in this session. */
  send(path: string, sent?: Sent): Promise<Answer>
  /** Sends a request in this session and parses the answer. */
  // biome-ignore lint/suspicious/noExplicitAny: each caller knows the answer, and a wrong one fails the check
  read(path: string, sent?: Sent): Promise<any>
}

/** Signs in and creates the folder of a connection. */
export async function createPerson(client: Client, files: ServedFiles, number: number): Promise<Person> {
  let last = 0
  const person: Person = {
    client,
    files,
    folder: `/person-${number}`,
    headers: await signIn(client.port, user),
    next: () => ++last,
    send: (path, sent = {}) =>
      client.send(path, { ...sent, headers: { ...person.headers, ...sent.headers } }),
    read: async (path, sent) => JSON.parse((await person.send(path, sent)).bytes.toString()),
  }
  await person.send(resource(`${person.folder}/`), { method: 'POST' })
  return person
}

/** Returns the address of a file or folder. */
export function resource(path: string): string {
  return `/api/resources${encodePath(path)}`
}

/** Returns the address of the content of a file, or of a folder as a zip. */
export function raw(path: string): string {
  return `/api/raw${encodePath(path)}`
}
