/** A WebSocket as the library provides it. The library has no types. */
export interface CommandSocket {
  /** Bytes that wait to be sent. */
  readonly bufferedAmount: number
  send(text: string, done?: (error?: Error) => void): void
  ping(): void
  close(code: number, reason?: string): void
  terminate(): void
  on(event: 'message', listener: (data: Buffer, isBinary: boolean) => void): void
  on(event: 'close' | 'pong' | 'error', listener: () => void): void
}

// Above this many waiting bytes, the program waits for the client.
const maxBufferedBytes = 256 * 1024
// Milliseconds that a client has to close its socket when the server stops.
const closeTimeoutMs = 1000

/** Sends a text. Resolves when the next text may follow: at once, unless the client reads slowly. */
export async function sendText(socket: CommandSocket, text: string): Promise<void> {
  const isFull = socket.bufferedAmount > maxBufferedBytes
  const { promise, resolve } = Promise.withResolvers<void>()
  socket.send(text, () => resolve())
  return isFull ? promise : undefined
}

/**
 * Disconnects a client that does not respond to a ping before the next one. The pings also show proxies that the socket is
 * in use. Returns a function that stops the pings.
 *
 * @param everyMs the time between two pings, in milliseconds
 */
export function keepAlive(socket: CommandSocket, everyMs: number): () => void {
  let answers = true
  socket.on('pong', () => {
    answers = true
  })
  const timer = setInterval(() => {
    if (!answers) return socket.terminate()
    answers = false
    socket.ping()
  }, everyMs)
  return () => clearInterval(timer)
}

/** Waits for the first message that is not blank. Returns undefined if none comes in time or if it is binary. */
export function firstMessage(socket: CommandSocket, { idle, signal }: { idle: number; signal: AbortSignal }) {
  const { promise, resolve } = Promise.withResolvers<string | undefined>()
  const timer = setTimeout(() => resolve(undefined), idle)
  signal.addEventListener('abort', () => resolve(undefined))
  // Later messages are dropped, because commands get no input.
  socket.on('message', (data, isBinary) => {
    const text = isBinary ? undefined : data.toString()
    if (text?.trim() !== '') resolve(text)
  })
  return promise.finally(() => clearTimeout(timer))
}

/** Closes every socket, and disconnects clients that do not close theirs in time. */
export async function closeSockets(sockets: ReadonlySet<CommandSocket>): Promise<void> {
  const open = [...sockets]
  for (const socket of open) socket.close(1001, 'the server is shutting down')
  const timer = setTimeout(() => {
    for (const socket of open) socket.terminate()
  }, closeTimeoutMs)
  await Promise.all(open.map((socket) => new Promise<void>((resolve) => socket.on('close', resolve))))
  clearTimeout(timer)
}
