import { constants } from 'node:fs'
import { open, readdir, rename, rm } from 'node:fs/promises'
import { connect, createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { errnoOf, ignoreMissing, StartupProblem } from '#src/core/problem.ts'
import { randomId } from '#src/core/secret.ts'

// The messages that a process sends to others through its socket: it holds the lock, or it requests the lock with its
// id.
const holds = 'holds'
const requests = 'wants '
// Interval after which a waiting process checks again whether the other has decided.
const retryMs = 20

/**
 * Locks the state in `folder` for this process, until the lock is closed or the process ends in any way. The lock is a
 * socket that responds. The socket of a dead process does not respond.
 *
 * @throws StartupProblem when another process holds the lock.
 */
export async function lockProcess(folder: string): Promise<{ close(): Promise<void> }> {
  const id = randomId()
  let message = requests + id
  const server = createServer((peer) => {
    peer.on('error', () => {}) // the client has left
    peer.end(message)
  })
  if (process.platform === 'win32') return lockByPipe(folder, server)
  return lockBySocket(folder, { server, id, decide: () => (message = holds) })
}

async function lockByPipe(folder: string, server: Server) {
  await listen(server, `\\\\.\\pipe\\coffer-${folder.replace(/[^\w]/g, '-')}`).catch(() => refuse(folder))
  return { close: () => closeServer(server) }
}

interface Candidate {
  server: Server
  id: string
  /** From now on, the socket responds that it holds the lock. */
  decide(): void
}

/**
 * Each process first creates a socket with a name of its own, and only then looks for others. So of two processes at
 * least one sees the other. The one with the smaller id stays, the other leaves. Names are never reused, so that
 * removing a dead socket never removes a live one.
 */
async function lockBySocket(folder: string, { server, id, decide }: Candidate) {
  // The name of a socket can have only about a hundred bytes. Through the descriptor of its folder the name is always
  // short.
  const handle = await open(folder, constants.O_RDONLY)
  const at = (name: string) =>
    process.platform === 'linux' ? `/proc/self/fd/${handle.fd}/${name}` : join(folder, name)
  const leave = async () => {
    await rm(at(`lock-${id}`), { force: true })
    await closeServer(server)
    await rm(at(`new-${id}`), { force: true })
    await handle.close()
  }
  try {
    await listen(server, at(`new-${id}`))
    // Renamed only once it listens, because before that others would take it for dead.
    await rename(at(`new-${id}`), at(`lock-${id}`)).catch((error: unknown) => {
      ignoreMissing(error)
      refuse(folder) // removed by the holder of the lock
    })
    while (!(await isAlone(folder, { id, at }))) await setTimeout(retryMs)
    decide()
    await removeStaleSockets(folder, at)
  } catch (error) {
    await leave()
    throw error
  }
  return { close: leave }
}

/** Whether no other process wants the lock. False while another one still has to leave or is leaving. */
async function isAlone(
  folder: string,
  { id, at }: { id: string; at(name: string): string },
): Promise<boolean> {
  let isAloneSoFar = true
  for (const name of await readdir(folder)) {
    if (!name.startsWith('lock-') || name === `lock-${id}`) continue
    const message = await messageOf(at(name))
    if (message === undefined) await rm(at(name), { force: true })
    else if (message === '' || (message.startsWith(requests) && message.slice(requests.length) > id))
      isAloneSoFar = false
    else refuse(folder)
  }
  return isAloneSoFar
}

/** Removes sockets of processes that were killed before the rename. */
async function removeStaleSockets(folder: string, at: (name: string) => string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (name.startsWith('new-') && (await messageOf(at(name))) === undefined) {
      await rm(at(name), { force: true })
    }
  }
}

/**
 * Returns the message of the process behind a socket. Empty when the process is leaving, undefined when there is no
 * process.
 */
function messageOf(name: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    let answer = ''
    const peer = connect(name)
    peer.setTimeout(2000, () => peer.destroy(new Error('silent')))
    peer.on('data', (chunk) => {
      answer += chunk
    })
    peer.on('end', () => resolve(answer))
    peer.on('error', (error) => {
      const errno = errnoOf(error) ?? ''
      if (['ECONNREFUSED', 'ENOENT'].includes(errno)) resolve(undefined)
      // Any other error, even a timeout, means that a process is there.
      else resolve(['ECONNRESET', 'EPIPE'].includes(errno) ? '' : 'somebody')
    })
  })
}

function listen(server: Server, name: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(name, () => {
      server.unref()
      resolve()
    })
  })
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()))
}

function refuse(folder: string): never {
  throw new StartupProblem(
    `Another Coffer process uses the state in ${folder}: stop it, or set --database to another file.`,
  )
}
