// Starts and kills servers on the same folder and the same state.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'

const password = 'a script needs no secret'

/** A running server. */
export interface Server {
  /** Sends a request as the administrator. @throws when there is no response. */
  call(method: string, path: string, body?: string | Buffer, type?: string): Promise<Response>
  /** Kills the process with SIGKILL. */
  kill(): Promise<void>
}

/** An unexpected response: the server was running and refused. */
export class UnexpectedResponse extends Error {}

/** The paths of one run. */
export interface Paths {
  base: string
  root: string
  state: string
  /** The folder beside the state file. */
  stateFolder: string
}

/** Creates the folders of a run below `base`. */
export async function createPaths(base: string): Promise<Paths> {
  const root = join(base, 'root')
  await mkdir(root)
  // A minimal page, so that no web build is needed.
  await mkdir(join(base, 'web/dist'), { recursive: true })
  await writeFile(join(base, 'web/dist/index.html'), '<title>%TITLE%</title>')
  return { base, root, state: `${root}.coffer.json`, stateFolder: `${root}.coffer.d` }
}

function spawnServer({ base, root }: Paths): ChildProcess {
  const where = ['--root', root, '--port', '0', '--log', 'stderr', '--log-format', 'json']
  const args = [resolve('src/cli/main.ts'), ...where, '--password', password]
  return spawn(process.execPath, args, { cwd: base, stdio: ['ignore', 'pipe', 'ignore'] })
}

/** Starts the server and kills it after `ms`, possibly before it is ready. */
export async function killWhileStarting(place: Paths, ms: number): Promise<void> {
  const child = spawnServer(place)
  await new Promise((resolve) => setTimeout(resolve, ms))
  await end(child)
}

/** Starts the server. `token` is the session token of an earlier start. Undefined: signs in. */
export async function startServer(place: Paths, token?: string): Promise<{ server: Server; token: string }> {
  const child = spawnServer(place)
  const base = await addressOf(child)
  const kill = () => end(child)
  const known = token ?? (await signIn(base))
  const call: Server['call'] = (method, path, body, type = 'application/json') =>
    fetch(base + path, {
      method,
      headers: { 'x-auth': known, 'content-type': type },
      ...(body !== undefined && { body: typeof body === 'string' ? body : new Uint8Array(body) }),
    })
  return { server: { call, kill }, token: known }
}

async function addressOf(child: ChildProcess): Promise<string> {
  if (!child.stdout) throw new Error('the output of the server is not a pipe')
  const said: string[] = []
  for await (const line of createInterface({ input: child.stdout })) {
    said.push(line)
    const [, address] = / at (http:\S+)\/$/.exec(line) ?? []
    if (address) return address
  }
  throw new Error(`the server did not start: ${said.join(' ')}`)
}

async function signIn(base: string): Promise<string> {
  const body = JSON.stringify({ username: 'admin', password })
  const reply = await fetch(`${base}/api/login`, { method: 'POST', body })
  if (!reply.ok) throw new Error(`sign-in failed with status ${reply.status}`)
  return reply.text()
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGKILL')
  await exited
}

/** Adds the current password, which some requests require when the session is older. */
export function withCurrentPassword(body: object): string {
  return JSON.stringify({ ...body, current_password: password })
}
