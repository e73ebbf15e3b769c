// A client that uses little processor time, so that the server is measured: one socket, one buffer, no HTTP parser.
import { connect, type Socket } from 'node:net'

/** A request as it is written to the socket. */
export interface RawRequest {
  readonly port: number
  readonly method: 'GET' | 'PUT' | 'POST'
  readonly path: string
  readonly headers?: Readonly<Record<string, string | number>>
}

const pieceBytes = 1024 * 1024

/** Sends a request and discards the response. Returns bytes per second, with the head. @throws unless 2xx and whole. */
export async function download(call: RawRequest, size: number): Promise<number> {
  const startMs = performance.now()
  const { bytes } = await talk(call, async () => undefined)
  if (bytes < size) throw new Error(`only ${bytes} of ${size} bytes arrived`)
  return bytes / ((performance.now() - startMs) / 1000)
}

/** Sends a request and discards the response. Returns its size, with the head. @throws unless 2xx. */
export async function downloadedBytes(call: RawRequest): Promise<number> {
  const { bytes } = await talk(call, async () => undefined)
  return bytes
}

/** Sends `size` bytes. Returns bytes per second up to the response. Fails unless the status is 2xx. */
export async function upload(call: RawRequest, size: number, piece: Buffer): Promise<number> {
  const startMs = performance.now()
  await talk({ ...call, headers: { ...call.headers, 'Content-Length': size } }, async (socket) => {
    for (let left = size; left > 0; left -= piece.length) {
      await write(socket, left < piece.length ? piece.subarray(0, left) : piece)
    }
  })
  return size / ((performance.now() - startMs) / 1000)
}

/** Waits for `work` and sends `GET /health` again and again meanwhile. Returns the time of the slowest one. */
export async function measureDelayDuring<T>(
  port: number,
  work: Promise<T>,
): Promise<{ result: T; delayMs: number }> {
  let isOver = false
  const ended = work.finally(() => {
    isOver = true
  })
  ended.catch(() => {}) // thrown below
  let delayMs = 0
  while (!isOver) {
    const requestStart = performance.now()
    await fetch(`http://127.0.0.1:${port}/health`).then((reply) => reply.text())
    delayMs = Math.max(delayMs, performance.now() - requestStart)
  }
  return { result: await ended, delayMs }
}

function talk(call: RawRequest, body: (socket: Socket) => Promise<void>): Promise<{ bytes: number }> {
  return new Promise((resolve, reject) => {
    let bytes = 0
    let status = ''
    const onread = {
      buffer: Buffer.allocUnsafe(pieceBytes),
      callback(read: number, buffer: Uint8Array) {
        if (bytes === 0) status = Buffer.from(buffer.subarray(9, 12)).toString()
        bytes += read
        return true
      },
    }
    const socket = connect({ port: call.port, host: '127.0.0.1', onread })
    socket.on('error', reject)
    socket.on('close', () =>
      status.startsWith('2')
        ? resolve({ bytes })
        : reject(new Error(`${call.method} ${call.path}: ${status}`)),
    )
    socket.write(head(call))
    body(socket).catch(reject)
  })
}

function head({ method, path, headers }: RawRequest): string {
  const all = { Host: 'localhost', Connection: 'close', ...headers }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`
}

function write(socket: Socket, piece: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.write(piece, (error) => (error ? reject(error) : resolve()))
  })
}
