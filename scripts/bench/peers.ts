import { createServer } from 'node:net'
import { find, retryUntil, start } from './run.ts'

/** Another file server, with the path of each request. A missing path means that it does not support the request. */
interface Peer {
  readonly program: string
  args(root: string, port: number): string[]
  readonly paths: Partial<Record<RequestKind, string>>
}

/** The kinds of requests that are compared. */
export type RequestKind = 'download' | 'upload' | 'listing' | 'zip' | 'search' | 'small'

// The served folder contains a file `big.bin`, a file `small.txt` and a folder `many`.
const peers: Record<string, Peer> = {
  copyparty: {
    program: 'copyparty',
    args: (root, port) => [
      '-q',
      '-i',
      '127.0.0.1',
      '-p',
      `${port}`,
      '-v',
      `${root}::A`,
      '--no-thumb',
      '--no-reload',
    ],
    paths: {
      download: '/big.bin',
      upload: '/up.bin',
      listing: '/many/?ls',
      zip: '/many/?zip',
      small: '/small.txt',
    },
  },
  dufs: {
    program: 'dufs',
    args: (root, port) => ['-A', '-b', '127.0.0.1', '-p', `${port}`, root],
    paths: {
      download: '/big.bin',
      upload: '/up.bin',
      listing: '/many/?json',
      zip: '/many/?zip',
      search: '/many/?q=77&json',
      small: '/small.txt',
    },
  },
  miniserve: {
    program: 'miniserve',
    args: (root, port) => ['-i', '127.0.0.1', '-p', `${port}`, '--enable-zip', root],
    paths: { download: '/big.bin', listing: '/many/', zip: '/many/?download=zip', small: '/small.txt' },
  },
  cloudcmd: {
    program: 'cloudcmd',
    args: (root, port) => [
      '--root',
      root,
      '--port',
      `${port}`,
      '--no-open',
      '--no-auth',
      '--no-console',
      '--no-terminal',
    ],
    paths: {
      download: '/api/v1/fs/big.bin',
      upload: '/api/v1/fs/up.bin',
      listing: '/api/v1/fs/many/',
      small: '/api/v1/fs/small.txt',
    },
  },
}

/** A running peer. */
export interface RunningPeer {
  readonly name: string
  readonly port: number
  readonly path: string
}

/** Starts every installed peer that supports `kind` on `root`. `missing` lists those that are not installed. */
export async function startPeers(
  root: string,
  kind: RequestKind,
): Promise<{ running: RunningPeer[]; missing: string[] }> {
  const running: RunningPeer[] = []
  const missing: string[] = []
  for (const [name, peer] of Object.entries(peers)) {
    const path = peer.paths[kind]
    if (path === undefined) continue
    const program = await find(peer.program)
    if (!program) {
      missing.push(name)
      continue
    }
    const port = await freePort()
    start(program, peer.args(root, port))
    await retryUntil(() => fetch(`http://127.0.0.1:${port}/`).then((reply) => reply.body?.cancel()))
    running.push({ name, port, path })
  }
  return { running, missing }
}

/** Returns a free port on loopback. */
export async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}
