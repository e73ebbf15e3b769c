import { constants } from 'node:fs'
import { open, readdir, rename, rm } from 'node:fs/promises'
import { connect, createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { errnoOf, ignoreMissing } from '#src/core/errno.ts'
import { StartupProblem } from '#src/core/problem.ts'
import { randomId } from '#src/core/secret.ts'

// What a process says of itself to those who ask: that it works on the state, or, with its id, that it wants to.
const holds = 'holds'
const wants = 'wants '
// How often one that stands back looks whether the other has made up its mind.
const lookAgainMs = 20

/**
 * Makes this process the only one that works on the state in `folder`, until it closes what it gets or ends, however it
 * ends: a socket that answers is the sign, and a socket of a dead process does not answer.
 *
 * @throws StartupProblem when another process is at work there.
 */
export async function lockProcess(folder: string): Promise<{ close(): Promise<void> }> {
  const id = randomId()
  let word = wants + id
  const server = createServer((peer) => {
    peer.on('error', () => {}) // it asked and left
    peer.end(word)
  })
  if (process.platform === 'win32') return byPipe(folder, server)
  return bySocket(folder, { server, id, decide: () => (word = holds) })
}

async function byPipe(folder: string, server: Server) {
  await listening(server, `\\\\.\\pipe\\coffer-${folder.replace(/[^\w]/g, '-')}`).catch(() => refuse(folder))
  return { close: () => closed(server) }
}

interface Candidate {
  server: Server
  id: string
  /** From now on it answers that it holds. */
  decide(): void
}

/**
 * Everyone who wants the state first shows a socket under a name of its own and only then looks for others, so of two at
 * least one sees the other; the smaller id stays, the larger leaves. No name is used twice: a dead one can be removed
 * without ever removing a living one.
 */
async function bySocket(folder: string, { server, id, decide }: Candidate) {
  // A socket's name may have about a hundred bytes only; through the descriptor of its folder it is always short.
  const handle = await open(folder, constants.O_RDONLY)
  const at = (name: string) =>
    process.platform === 'linux' ? `/proc/self/fd/${handle.fd}/${name}` : join(folder, name)
  const leave = async () => {
    await rm(at(`lock-${id}`), { force: true })
    await closed(server)
    await rm(at(`new-${id}`), { force: true })
    await handle.close()
  }
  try {
    await listening(server, at(`new-${id}`))
    // Shown only once it listens: until then it would be taken for dead.
    await rename(at(`new-${id}`), at(`lock-${id}`)).catch((error: unknown) => {
      ignoreMissing(error)
      refuse(folder) // swept away by one that holds
    })
    while (!(await isAlone(folder, { id, at }))) await setTimeout(lookAgainMs)
    decide()
    await sweep(folder, at)
  } catch (error) {
    await leave()
    throw error
  }
  return { close: leave }
}

/** Whether nobody else is there any more; false as long as one is that has to leave or just leaves. */
async function isAlone(
  folder: string,
  { id, at }: { id: string; at(name: string): string },
): Promise<boolean> {
  let alone = true
  for (const name of await readdir(folder)) {
    if (!name.startsWith('lock-') || name === `lock-${id}`) continue
    const word = await whoAnswers(at(name))
    if (word === undefined) await rm(at(name), { force: true })
    else if (word === '' || (word.startsWith(wants) && word.slice(wants.length) > id)) alone = false
    else refuse(folder)
  }
  return alone
}

/** Removes what was killed before it was shown. */
async function sweep(folder: string, at: (name: string) => string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (name.startsWith('new-') && (await whoAnswers(at(name))) === undefined) {
      await rm(at(name), { force: true })
    }
  }
}

/** What the process behind a socket says: nothing when it is just leaving, undefined when there is none. */
function whoAnswers(name: string): Promise<string | undefined> {
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
      // Anything else, even silence, is somebody.
      else resolve(['ECONNRESET', 'EPIPE'].includes(errno) ? '' : 'somebody')
    })
  })
}

function listening(server: Server, name: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(name, () => {
      server.unref()
      resolve()
    })
  })
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()))
}

function refuse(folder: string): never {
  throw new StartupProblem(
    `Another Coffer works on the state in ${folder}: stop it, or give this one its own with --database.`,
  )
}
