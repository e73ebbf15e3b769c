import { createServer } from 'node:net'
import { errnoOf } from '#src/core/problem.ts'

/**
 * Makes other Coffer processes of this machine notice that this one serves a folder, until the result is disposed of or the
 * process ends. The name of the socket is not a file, so that nothing is left behind by a killed process. Containers have
 * names of their own.
 *
 * @param identity the device and inode of the folder
 * @returns undefined when another process serves the same folder. Other processes are detected only on Linux and Windows.
 */
export async function announceFolder(identity: string): Promise<AsyncDisposable | undefined> {
  const name = nameOf(identity)
  const server = createServer((peer) => peer.destroy())
  const close = async () => {
    if (server.listening) await new Promise<void>((resolve) => server.close(() => resolve()))
  }
  if (name === undefined) return { [Symbol.asyncDispose]: close }
  const { promise, resolve } = Promise.withResolvers<string | undefined>()
  server.once('error', (error) => resolve(errnoOf(error) ?? 'unknown'))
  server.listen(name, () => resolve(undefined))
  server.unref()
  // Without the name, for example because sockets are forbidden, the server works as well.
  return (await promise) === 'EADDRINUSE' ? undefined : { [Symbol.asyncDispose]: close }
}

function nameOf(identity: string): string | undefined {
  if (process.platform === 'linux') return `\0coffer-serves-${identity}`
  return process.platform === 'win32' ? `\\\\.\\pipe\\coffer-serves-${identity}` : undefined
}
