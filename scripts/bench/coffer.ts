import type { ChildProcess } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { start } from './run.ts'

export const executable = resolve('bin/coffer')

/** The administrator of each server. */
export const user = { username: 'bench', password: 'a benchmark needs no secret' }

/** A running server, and the headers of a signed-in user. */
export interface Coffer {
  readonly child: ChildProcess
  readonly port: number
  readonly root: string
  readonly headers: { readonly 'X-Auth': string }
}

/** Returns the command line options of a server on `root`. Port 0 is any free port. */
export function options(root: string, port = 0): string[] {
  const where = ['--root', root, '--address', '127.0.0.1', '--port', String(port), '--log', '']
  return [...where, '--username', user.username, '--password', user.password]
}

/**
 * Starts the server on a new folder `root` and signs in. Runs the source code unless `program` is given.
 *
 * @param more further command line options
 */
export async function startCoffer(
  root: string,
  program?: string,
  more: readonly string[] = [],
): Promise<Coffer> {
  await mkdir(root, { recursive: true })
  const [command, ...source] = program ? [program] : [process.execPath, resolve('src/cli/main.ts')]
  const child = start(command, [...source, ...options(root), ...more], { stdout: 'pipe' })
  const port = await portOf(child)
  return { child, port, root: join(root), headers: await signIn(port, user) }
}

/** Signs in to Coffer, or to File Browser, whose API is the same. Returns the header for further requests. */
export async function signIn(port: number, who: typeof user): Promise<Coffer['headers']> {
  const reply = await fetch(`http://127.0.0.1:${port}/api/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(who),
  })
  if (!reply.ok) throw new Error(`sign-in failed with status ${reply.status}`)
  return { 'X-Auth': await reply.text() }
}

/** Reads the port from the line with the address in the output of the server. */
export async function portOf(child: ChildProcess): Promise<number> {
  if (!child.stdout) throw new Error('the output of the server is not a pipe')
  for await (const line of createInterface({ input: child.stdout })) {
    const port = /:(\d+)\/$/.exec(line)?.[1]
    if (port) return Number(port)
  }
  throw new Error('the server ended before it printed its address')
}
