import { chmod, lstat, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import type { Config } from '#src/config/config.ts'
import { errnoOf, ignoreMissing, StartupProblem } from '#src/core/problem.ts'
import type { App } from '#src/http/at.ts'
import { listenOnInherited } from './inherited.ts'

/**
 * Listens on the address or the socket of the configuration, or on the inherited sockets instead, if there are any.
 * Returns the URL.
 *
 * @throws StartupProblem that says what to change.
 */
export async function listen(app: App, config: Config, inherited: readonly number[]): Promise<string> {
  const { address, port, socket } = config
  if (inherited.length > 0) return urlOf(await listenOnInherited(app, inherited), config)
  try {
    if (socket) {
      await removeDeadSocket(socket)
      await listenPrivately(app, socket)
      await chmod(socket, config.socketPerm)
      return urlOf(socket, config)
    }
    await app.listen({ host: address, port })
  } catch (error) {
    if (error instanceof StartupProblem) throw error
    throw new StartupProblem(listenFault(errnoOf(error), config), { cause: error })
  }
  const bound = app.server.address()
  const actual = typeof bound === 'object' && bound ? bound.port : port
  return urlOf({ address, port: actual }, config)
}

function urlOf(
  bound: { address: string; port: number } | string | null,
  { cert, baseUrl }: Pick<Config, 'cert' | 'baseUrl'>,
): string {
  if (bound === null || typeof bound === 'string') return `unix:${bound ?? ''}${baseUrl}`
  const { address, port } = bound
  const host = address.includes(':') ? `[${address}]` : address
  return `${cert ? 'https' : 'http'}://${host}:${port}${baseUrl}/`
}

/** Creates the socket with access for its owner only, so that no other user can connect before its mode is set. */
async function listenPrivately(app: App, socket: string): Promise<void> {
  const previousMask = process.umask(0o177)
  try {
    await app.listen({ path: socket })
  } finally {
    process.umask(previousMask)
  }
}

function listenFault(errno: string | undefined, { address, port, socket }: Config): string {
  if (socket)
    return `Coffer cannot create the socket ${socket} (${errno}): stop the program that uses it or remove the file, or set --socket to another path.`
  if (errno === 'EADDRINUSE')
    return `Port ${port} of ${address} is in use: stop the program that uses it, or set --port to another port.`
  if (errno === 'EACCES') return `This user may not listen on port ${port}: set --port to a port above 1023.`
  return `Coffer cannot listen on ${address}, port ${port} (${errno}): set --address to an address of this machine.`
}

/**
 * Removes the socket of a killed process. Keeps a socket that accepts connections, and any other file, because a
 * connection to a plain file is refused like one to a dead socket.
 *
 * @throws StartupProblem when there is another file.
 */
async function removeDeadSocket(socket: string): Promise<void> {
  const stats = await lstat(socket).catch(ignoreMissing)
  if (!stats) return
  if (!stats.isSocket()) {
    throw new StartupProblem(`${socket} exists and is not a socket: set --socket to another path.`)
  }
  const isDead = await new Promise<boolean>((resolve) => {
    const peer = connect(socket, () => {
      peer.destroy()
      resolve(false)
    })
    peer.on('error', (error) => resolve(errnoOf(error) === 'ECONNREFUSED'))
  })
  if (isDead) await rm(socket, { force: true })
}
