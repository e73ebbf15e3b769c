/** One socket, as the library answers it; it brings no types. */
export interface CommandSocket {
  /** Bytes that wait to be sent. */
  readonly bufferedAmount: number
  send(text: string, done?: (error?: Error) => void): void
  ping(): void
  close(code: number, reason?: string): void
  terminate(): void
  on(event: 'message', heard: (data: Buffer, isBinary: boolean) => void): void
  on(event: 'close' | 'pong' | 'error', heard: () => void): void
}

// Beyond so many waiting bytes the program waits for the reader.
const mostWaiting = 256 * 1024
// How long a client may take to say goodbye when the server ends, in milliseconds.
const farewellMs = 1000
// A client that does not answer within this time has gone, in milliseconds; proxies see that the line is in use.
const beatMs = 30_000

/** Sends a text; answers when the next may follow, which is at once unless the client reads slowly. */
export async function sendText(line: CommandSocket, text: string): Promise<void> {
  const isFull = line.bufferedAmount > mostWaiting
  const { promise, resolve } = Promise.withResolvers<void>()
  line.send(text, () => resolve())
  return isFull ? promise : undefined
}

/** Cuts a line whose other end no longer answers. Answers how to stop asking. */
export function keepAlive(line: CommandSocket): () => void {
  let answers = true
  line.on('pong', () => {
    answers = true
  })
  const timer = setInterval(() => {
    if (!answers) return line.terminate()
    answers = false
    line.ping()
  }, beatMs)
  return () => clearInterval(timer)
}

/** The first message that is not blank; undefined when there is none in time, or it is no text. */
export function firstMessage(line: CommandSocket, { idle, signal }: { idle: number; signal: AbortSignal }) {
  const { promise, resolve } = Promise.withResolvers<string | undefined>()
  const timer = setTimeout(() => resolve(undefined), idle)
  signal.addEventListener('abort', () => resolve(undefined))
  // What follows the first one is read and dropped: commands get no input.
  line.on('message', (data, isBinary) => {
    const text = isBinary ? undefined : data.toString()
    if (text?.trim() !== '') resolve(text)
  })
  return promise.finally(() => clearTimeout(timer))
}

/** Says goodbye on every line and cuts those that do not answer. */
export async function closeAll(lines: ReadonlySet<CommandSocket>): Promise<void> {
  const open = [...lines]
  for (const line of open) line.close(1001, 'the server ends')
  const timer = setTimeout(() => {
    for (const line of open) line.terminate()
  }, farewellMs)
  await Promise.all(open.map((line) => new Promise<void>((resolve) => line.on('close', resolve))))
  clearTimeout(timer)
}
