// Finds and starts the programs of the table.
import { type ChildProcess, execFile } from 'node:child_process'
import { copyFile } from 'node:fs/promises'
import { get } from 'node:http'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { executable, signIn } from '../coffer.ts'
import { type Bench, exists, find, freePort, retryUntil, start, stop } from '../run.ts'
import type { RawRequest } from '../wire.ts'
import { coffer, olderCoffer, type Place, type Program, peers, type Verb } from './programs.ts'

/** A program that is on this machine, with its place. `is` says what its version is. */
export interface Installed extends Program, Place {
  readonly path: string
  readonly is: string
}

/** A running program. */
export interface Server {
  readonly program: Installed
  readonly child: ChildProcess
  readonly headers: Readonly<Record<string, string>>
}

/**
 * Returns Coffer and the peers that are on this machine and start, ready to serve `root`. `missing` names the others.
 *
 * @throws when the executable of Coffer is missing, or does not start
 */
export async function findPrograms(
  root: string,
  bench: Bench,
): Promise<{ programs: Installed[]; missing: string[] }> {
  if (!(await exists(executable))) throw new Error('bin/coffer is missing: build it with npm run build')
  const programs: Installed[] = []
  for (const [file, program] of [[executable, coffer] as const, [bench.before, olderCoffer] as const]) {
    if (file === undefined) continue
    // Measures a copy, as an installation would: a file that was just linked shows more memory than a copy of it.
    const path = join(bench.folder, `coffer-${programs.length}`)
    await copyFile(file, path)
    programs.push(await install({ program: program(path), path, root, bench }))
  }
  const missing: string[] = []
  for (const program of peers) {
    const path = await find(program.executable)
    try {
      if (path === undefined) missing.push(program.name)
      else programs.push(await install({ program, path, root, bench }))
    } catch (error) {
      missing.push(`${program.name} (does not start: ${(error as Error).message})`)
    }
  }
  missing.push(await quantum())
  return { programs, missing }
}

/** Quantum is a fork of File Browser. Its addresses differ between its versions, so it is only looked for. */
async function quantum(): Promise<string> {
  const path = (await find('filebrowser-quantum')) ?? (await find('quantum'))
  return path === undefined ? 'Quantum' : 'Quantum (it is here, but the benchmark does not know its API)'
}

/** Prepares a program, and starts it once: the first start of all creates state and is not measured. */
async function install(from: {
  program: Program
  path: string
  root: string
  bench: Bench
}): Promise<Installed> {
  const { program, path, root, bench } = from
  const state = join(bench.folder, `state-${program.name.replace(' ', '-')}`)
  const place = { root, state, port: await freePort() }
  await program.prepare?.(path, place)
  const installed = { ...program, ...place, path, is: await versionOf(program, path) }
  await stop((await startServer(installed, bench)).child)
  return installed
}

async function versionOf(program: Program, path: string): Promise<string> {
  // nginx prints its version as an error.
  const { stdout, stderr } = await promisify(execFile)(path, [...program.version], { timeout: 10_000 })
  const [line = ''] = (stdout || stderr).trim().split('\n')
  return line.toLowerCase().includes(program.name.toLowerCase()) ? line : `${program.name} ${line}`
}

/** Starts a program and waits for its first answer. Signs in. */
export async function startServer(
  program: Installed,
  bench: Bench,
  more: readonly string[] = [],
): Promise<Server> {
  const child = await launch(program, bench, more)
  const headers = program.user ? await signIn(program.port, program.user) : {}
  return { program, child, headers }
}

/** Starts a program and waits for its first answer. */
export async function launch(
  program: Installed,
  { pin }: Bench,
  more: readonly string[] = [],
): Promise<ChildProcess> {
  const command = [program.path, ...program.args(program), ...more]
  const [first = '', ...rest] = pin === undefined ? command : ['taskset', '-c', pin, ...command]
  const child = start(first, rest, { stderr: program.name === 'Coffer' ? 'inherit' : 'ignore' })
  await firstAnswer(program.port)
  return child
}

/** Waits until a server answers a request with any status. */
export function firstAnswer(port: number): Promise<void> {
  return retryUntil(
    () =>
      new Promise<void>((resolve, reject) => {
        const request = get({ host: '127.0.0.1', port, path: '/health', agent: false }, (reply) => {
          reply.resume().on('end', resolve).on('error', reject)
        })
        request.on('error', reject)
      }),
    2,
  )
}

/** Returns the request for a path. @throws when the program does not support it. */
export function requestFor({ program, headers }: Server, verb: Verb, path: string): RawRequest {
  const address = program.paths[verb]?.(path)
  if (address === undefined) throw new Error(`${program.name} does not support ${verb}`)
  return {
    port: program.port,
    method: verb === 'upload' ? program.uploadMethod : verb === 'uploadForm' ? 'POST' : 'GET',
    path: address,
    headers,
  }
}
