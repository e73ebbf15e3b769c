// Runs a server under strace and records what it does while requests change files.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, realpath, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { options, portOf, signIn, user } from '../../bench/coffer.ts'
import type { Exchange, Recording, Value } from './recording.ts'

const calls = [
  'open,openat,openat2,close,mkdir,mkdirat,write,pwrite64,writev,pwritev,pwritev2,sendto,sendmsg,ftruncate',
  'copy_file_range,fsync,fdatasync,rename,renameat,renameat2,link,linkat,unlink,unlinkat,rmdir',
  // The model does not know these. The recording fails when they change files.
  'truncate,fallocate,sendfile,splice,symlink,symlinkat,msync,syncfs,sync,sync_file_range,ioctl',
].join()

/** Bytes of each write in the record: a page of the database and its header, and whole small files. */
const shownBytes = 4200

const folders = ['root', 'state', 'web', 'web/dist']

/** Sends requests and remembers what they change. */
export interface Client {
  /** Sends a request. @throws unless it succeeds. */
  send(
    method: string,
    path: string,
    request: { body?: Buffer; headers?: Record<string, string>; changes?: Record<string, Value> },
  ): Promise<Response>
}

/**
 * Records a server on new folders in `base` while `work` sends requests.
 *
 * @param strace the path of the program
 */
export async function recordServer(
  strace: string,
  base: string,
  work: (client: Client) => Promise<void>,
): Promise<Recording> {
  const top = await realpath(base)
  for (const folder of folders) await mkdir(join(top, folder))
  // A minimal page, so that no web build is needed.
  await writeFile(join(top, 'web/dist/index.html'), '<title>%TITLE%</title>')
  const file = join(top, 'web/strace.txt')
  const server = startTraced(strace, { top, file })
  const exchanges: Exchange[] = []
  try {
    const port = await portOf(server)
    await work(createClient(port, await signIn(port, user), exchanges))
  } finally {
    await end(server)
  }
  const record = await readFile(file, 'latin1')
  const unknown = record.match(
    /^\d+ +(?:truncate|fallocate|sendfile|splice|symlink\w*|ioctl\(.*CLONE)\(?.*= \d+$/m,
  )
  if (unknown) throw new Error(`the model of the disk does not know this call: ${unknown[0].slice(0, 200)}`)
  return { record, top, folders, root: 'root', exchanges }
}

/** Starts the server and strace in a process group of their own. */
function startTraced(strace: string, { top, file }: { top: string; file: string }): ChildProcess {
  const tracing = [
    '-f',
    '-y',
    '-s',
    String(shownBytes),
    '-o',
    file,
    '-e',
    `trace=${calls}`,
    '-e',
    'signal=none',
  ]
  const server = [process.execPath, resolve('src/cli/main.ts'), ...options(join(top, 'root'))]
  const database = ['--database', join(top, 'state/coffer.json')]
  return spawn(strace, [...tracing, ...server, ...database], {
    cwd: top,
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
    // Calls that go through a ring of the kernel would be missing in the record.
    env: { ...process.env, UV_USE_IO_URING: '0' },
  })
}

async function end(server: ChildProcess): Promise<void> {
  const { pid } = server
  if (pid === undefined || server.exitCode !== null || server.signalCode !== null) return
  const exited = once(server, 'exit')
  process.kill(-pid, 'SIGTERM')
  const timeout = setTimeout(() => process.kill(-pid, 'SIGKILL'), 20_000)
  await exited
  clearTimeout(timeout)
}

function createClient(port: number, session: Record<string, string>, exchanges: Exchange[]): Client {
  let answers = 0
  return {
    async send(method, path, { body, headers, changes = {} }) {
      const exchange: Exchange = { what: `${method} ${path}`, changes, answersBefore: answers, id: '' }
      exchanges.push(exchange)
      const reply = await fetch(`http://127.0.0.1:${port}${path}`, {
        method,
        headers: { ...session, ...headers },
        ...(body && { body: new Uint8Array(body) }),
      })
      if (!reply.ok) throw new Error(`${exchange.what}: status ${reply.status}: ${await reply.text()}`)
      await reply.arrayBuffer()
      exchange.id = reply.headers.get('x-request-id') ?? ''
      answers++
      return reply
    },
  }
}
