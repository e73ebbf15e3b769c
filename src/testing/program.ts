import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { killAfter } from './kill-after.ts'
import { type Owner, openPlace, spawnNode } from './other-user.ts'
import { systemTool } from './system-tool.ts'
import { dial, exchange, until } from './wire.ts'

/** The program: bundled if a run of the tests has done so (`scripts/test/bundle.ts`), because it starts faster. */
export const main = process.env.TEST_BUNDLE
  ? join(process.env.TEST_BUNDLE, 'main.js')
  : join(import.meta.dirname, '..', 'cli', 'main.ts')

/** The password of the administrator of a program under test. */
export const password = 'correct horse battery'

/** A running process of the program. */
export interface Program {
  child: ChildProcess
  /** All output so far, of both streams. */
  said(): string
  ended: Promise<number | string>
}

/** Starts the program with these arguments. */
export function run(t: Test, ...words: string[]): Program {
  return runAs(t, undefined, ...words)
}

/**
 * Starts the program as a service manager does: with its variables, and with these descriptors from 3 on. `$$` in a
 * value is the process id of the program.
 */
export function runAsService(
  t: Test,
  { env, descriptors = [] }: { env: Readonly<Record<string, string>>; descriptors?: readonly number[] },
  ...words: string[]
): Program {
  const variables = Object.entries(env).map(([name, value]) => `export ${name}="${value}"`)
  const script = [...variables, 'exec "$0" "$@"'].join('; ')
  const child = spawn(systemTool('sh'), ['-c', script, process.execPath, main, ...words], {
    ...placeOf(t),
    stdio: ['ignore', 'pipe', 'pipe', ...descriptors],
  })
  return programOf(t, child)
}

/** The working folder and the environment. A private web page folder, so that a build that runs meanwhile has no effect. */
export function placeOf(t: Test, TMPDIR = process.env.TMPDIR) {
  const { PATH, HOME, NODE_COMPILE_CACHE } = process.env
  const dist = join(t.testdirName, 'web', 'dist')
  mkdirSync(dist, { recursive: true })
  writeFileSync(join(dist, 'index.html'), '<title>%TITLE%</title>')
  const env = { PATH, HOME, ...(TMPDIR && { TMPDIR }), ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }) }
  return { cwd: t.testdirName, env }
}

function runAs(t: Test, owner: Owner | undefined, ...words: string[]): Program {
  const place = placeOf(t, owner ? openPlace() : undefined)
  return programOf(t, spawnNode(owner, [main, ...words], { ...place, stdio: ['pipe', 'pipe', 'pipe'] }))
}

function programOf(t: Test, child: ChildProcess): Program {
  let said = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk) => {
      said += chunk
    })
  }
  killAfter(t, child)
  const ended = once(child, 'close').then(([code, signal]) => code ?? signal)
  return { child, said: () => said, ended }
}

/** Starts the program on a free port and waits until it prints the port. */
export function serve(t: Test, root: string, ...words: string[]) {
  return serveAs(t, undefined, root, ...words)
}

/** Starts the program as another user of the system; undefined: the current user. */
export async function serveAs(t: Test, owner: Owner | undefined, root: string, ...words: string[]) {
  return listening(runAs(t, owner, '--root', root, '--port', '0', ...words))
}

/** Waits until a program has printed its port, and adds the port to it. @throws Error with its output if it ends before. */
export async function listening<P extends Pick<Program, 'said' | 'ended'>>(
  program: P,
): Promise<P & { port: number }> {
  let hasEnded = false
  let how: unknown
  void program.ended.then((end) => {
    how = end
    hasEnded = true
  })
  const [, port] = await until(() => {
    if (hasEnded) throw new Error(`${program.said()}\n(ended with ${String(how)})`)
    return / at https?:\/\/127\.0\.0\.1:(\d+)\//.exec(program.said())
  })
  return { ...program, port: Number(port) }
}

/**
 * Starts the program so that it kills itself right before its nth change of a folder, once the file `armed` with the
 * number n is in `base` (`kill-at-call.mjs`).
 */
export async function serveKilled(t: Test, base: string, root: string, ...words: string[]) {
  const hook = join(import.meta.dirname, 'kill-at-call.mjs')
  const args = ['--import', hook, main, '--root', root, '--port', '0', ...words]
  const { env } = placeOf(t)
  const child = spawn(process.execPath, args, { cwd: base, env, stdio: ['ignore', 'pipe', 'pipe'] })
  return listening(programOf(t, child))
}

/** Logs in as the administrator and returns the token. */
export async function signIn(port: number | string, secret = password): Promise<string> {
  const body = JSON.stringify({ username: 'admin', password: secret })
  const reply = await exchange(port, 'POST', '/api/login', { body })
  if (reply.status !== 200) throw new Error(reply.body)
  return reply.body
}

/** Starts an upload of `length` bytes and sends only the first byte. */
export async function beginUpload(
  t: Test,
  { port, token, name, length }: { port: number; token: string; name: string; length: number },
) {
  const wire = await dial(t, port)
  wire.socket.write(
    `POST /api/resources/${name}?override=true HTTP/1.1\r\nHost: x\r\nX-Auth: ${token}\r\nContent-Length: ${length}\r\n\r\n1`,
  )
  return wire
}
