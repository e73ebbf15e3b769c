import { constants } from 'node:fs'
import { link, open, rm, stat } from 'node:fs/promises'
import { connect, createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { errnoOf, ignoreMissing } from './errno.ts'
import { StartupProblem } from './problem.ts'
import { randomId } from './secret.ts'

/**
 * Makes this process the only one that works on the state in `folder`, until it closes what it gets or ends, however it
 * ends: a socket that answers is the sign, and a socket of a dead process does not answer.
 *
 * @throws StartupProblem when another process is at work there.
 */
export async function holdAlone(folder: string): Promise<{ close(): Promise<void> }> {
  const nonce = randomId()
  const server = createServer((peer) => {
    peer.on('error', () => {}) // it asked and left
    peer.end(nonce)
  })
  return process.platform === 'win32' ? byPipe(folder, server) : bySocket(folder, server, nonce)
}

async function byPipe(folder: string, server: Server) {
  await listening(server, `\\\\.\\pipe\\coffer-${folder.replace(/[^\w]/g, '-')}`).catch(() => refuse(folder))
  return { close: () => closed(server) }
}

async function bySocket(folder: string, server: Server, nonce: string) {
  // A socket's name may have about a hundred bytes only; through the descriptor of its folder it is always short.
  const handle = await open(folder, constants.O_RDONLY)
  const at = (name: string) =>
    process.platform === 'linux' ? `/proc/self/fd/${handle.fd}/${name}` : join(folder, name)
  const own = `lock-${nonce}`
  try {
    await listening(server, at(own))
    for (let tries = 0; (await whoAnswers(at('lock'))) !== nonce; tries++) {
      if (tries > 3 || (await whoAnswers(at('lock'))) !== undefined) refuse(folder)
      await takeName(at('lock'), at(own))
    }
    await rm(at(own), { force: true })
  } catch (error) {
    await closed(server)
    await rm(at(own), { force: true })
    await handle.close()
    throw error
  }
  return {
    async close() {
      await rm(at('lock'), { force: true })
      await closed(server)
      await handle.close()
    },
  }
}

/** Puts our socket under the common name, in the place of one that nobody answers any more. */
async function takeName(name: string, own: string): Promise<void> {
  const old = await stat(name).catch(ignoreMissing)
  const still = old && (await stat(name).catch(ignoreMissing))
  if (old && still?.ino === old.ino) await rm(name, { force: true })
  await link(own, name).catch((error: unknown) => {
    if (errnoOf(error) !== 'EEXIST') throw error // someone was quicker; the next look tells who
  })
}

function whoAnswers(name: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    let answer = ''
    const peer = connect(name)
    peer.setTimeout(2000, () => peer.destroy(new Error('silent')))
    peer.on('data', (chunk) => {
      answer += chunk
    })
    peer.on('end', () => resolve(answer))
    // Refused or missing: nobody. Anything else, even silence, is somebody.
    peer.on('error', (error) =>
      resolve(/ECONNREFUSED|ENOENT/.test(errnoOf(error) ?? '') ? undefined : 'somebody'),
    )
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
