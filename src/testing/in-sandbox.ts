import { once } from 'node:events'
import { openSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { cleanEnvironment } from '#src/sandbox/environment.ts'
import { type ProgramResult, run } from '#src/sandbox/run.ts'
import { findSandbox } from '#src/sandbox/sandbox.ts'
import type { SandboxTool } from '#src/sandbox/sandbox-start.ts'
import { spawnNode } from './other-user.ts'

/** The options of one sandbox, and the scripts to run in it. */
export interface SandboxTrial {
  tool: SandboxTool
  /** The user's folder, and a file that this process has open meanwhile. */
  root: string
  held: string
  memory: number
  hasNetwork: boolean
  /** Scripts of `sh`, each in a sandbox of its own. `PORT` is replaced by a port of this machine that responds. */
  scripts: readonly string[]
}

/** The output of a script, and its exit status. */
export interface ScriptResult {
  said: string
  code: number | null
  /** Why the server ended it. */
  stopped?: ProgramResult['stopped']
}

/** Starts scripts in a sandbox made by a process of the user `uid`; undefined: the current user. */
export function startInSandbox(trial: SandboxTrial, uid: number | undefined) {
  const owner = uid === undefined ? undefined : { uid, gid: uid }
  const child = spawnNode(owner, [import.meta.filename, JSON.stringify(trial)], {
    cwd: '/',
    env: { PATH: process.env.PATH, COFFER_PASSWORD: 'ENVIRONMENT-CANARY' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let said = ''
  child.stdout?.on('data', (chunk) => {
    said += chunk
  })
  return { child, ended: once(child, 'close').then(() => said) }
}

/** As `beginInSandbox`. Returns the output of each script, or why there is no sandbox. */
export async function runInSandbox(
  trial: SandboxTrial,
  uid: number | undefined,
): Promise<ScriptResult[] | { missing: string }> {
  return JSON.parse(await startInSandbox(trial, uid).ended)
}

async function main({
  tool,
  root,
  held,
  memory,
  hasNetwork,
  scripts,
}: SandboxTrial): Promise<ScriptResult[] | { missing: string }> {
  const env = cleanEnvironment()
  const options = { served: root, secret: [], memory, hasNetwork, env, run, tools: [tool] }
  const sandbox = await findSandbox(options)
  if ('missing' in sandbox) return { missing: sandbox.missing.join('; ') }
  openSync(held, 'r')
  const server = createServer((socket) => socket.end('ANSWER-CANARY\n')).listen(0, '127.0.0.1')
  const hidden = createServer((socket) => socket.end()).listen('\0coffer-abstract')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  const { dev, ino } = statSync(root, { bigint: true })
  const parts = [{ path: root, id: `${dev}:${ino}`, isFolder: true }]
  const shown = { root, isWhole: true, parts, folders: [], links: [] }
  const tried: ScriptResult[] = []
  for (const script of scripts) {
    // Both streams are joined, to preserve the order of the output.
    const args = ['-c', `exec 2>&1\n${script}`.replaceAll('PORT', String(port))]
    const plain = { program: '/bin/sh', name: 'sh', args, folder: root, env }
    const task = await sandbox.wrapTask(plain, { shown, isWritable: true, folder: root })
    if ('refused' in task) return { missing: task.refused }
    const lines: string[] = []
    const bounds = { time: 60_000, output: 1024 ** 2, signal: new AbortController().signal }
    const { signal: _, ...end } = await run(task, bounds, (line) => lines.push(line) > 0)
    tried.push({ said: lines.join('\n'), ...end })
  }
  server.close()
  hidden.close()
  return tried
}

if (process.argv[1] === import.meta.filename) {
  process.stdout.write(JSON.stringify(await main(JSON.parse(process.argv[2] ?? ''))))
}
