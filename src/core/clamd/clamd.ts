import { connect, type Socket } from 'node:net'
import { setTimeout as startTimer } from 'node:timers'
import { setImmediate, setTimeout } from 'node:timers/promises'
import type { ClamdAddress } from './address.ts'
import { type Answer, type Fault, shown, type Verdict, verdictOf } from './verdict.ts'

/** The times of a scanner, in milliseconds. */
interface Times {
  connectMs?: number
  /** How long the scanner may neither read nor answer. */
  silenceMs?: number
}

// clamd's own time-outs for reading (`ReadTimeout`) and for scanning (`MaxScanTime`) have this length.
const defaultSilenceMs = 120_000
const defaultConnectMs = 10_000
/** Bytes that the system may buffer on the way to the scanner. */
const bufferedBytes = 8 * 1024 * 1024
const answerMs = 5
/** Bytes that the system takes at once, so that nothing is still to be written when the scanner refuses them. */
const smallBytes = 32 * 1024
const mostAnswerBytes = 4096

/** A client of ClamAV's daemon (clamd(8)). Each call is a connection of its own. */
export function createClamd(
  address: ClamdAddress,
  { connectMs = defaultConnectMs, silenceMs = defaultSilenceMs }: Times = {},
) {
  const open = (signal: AbortSignal) => openConversation(address, { connectMs, silenceMs, signal })

  async function ask(command: string, signal: AbortSignal): Promise<Answer> {
    await using conversation = open(signal)
    await conversation.send(Buffer.from(`z${command}\0`))
    return await conversation.answer
  }

  /** @param slowFrom the number of bytes after which the scanner gets time to answer between two pieces */
  async function send(
    content: AsyncIterable<Buffer>,
    { signal, slowFrom }: { signal: AbortSignal; slowFrom: number },
  ): Promise<{ answer: Answer; sent: number }> {
    await using conversation = open(signal)
    let sent = 0
    let isOpen = await conversation.send(Buffer.from('zINSTREAM\0'))
    for await (const part of partsOf(content, { signal, slowFrom })) {
      isOpen &&= await conversation.send(Buffer.concat([lengthOf(part), part]))
      if (!isOpen) break
      sent += part.length
    }
    if (isOpen) await conversation.send(lengthOf(Buffer.alloc(0)))
    const answer = await conversation.answer
    signal.throwIfAborted()
    return { answer, sent }
  }

  return {
    /**
     * Sends a content to the scanner and returns its verdict. Reads no further when the scanner has answered.
     *
     * @param content returns the pieces of the content from its beginning. It may be called twice
     * @throws the signal's reason, or what reading the content throws.
     */
    async scan(content: () => AsyncIterable<Buffer>, signal: AbortSignal): Promise<Verdict> {
      const first = await send(content(), { signal, slowFrom: Number.POSITIVE_INFINITY })
      const verdict = verdictOf(first.answer)
      if (verdict.kind !== 'away' || !verdict.isBroken || first.sent === 0) return verdict
      // Beyond its size limit the scanner answers and closes the connection. After a write to a closed connection, Node
      // reads nothing more, so that the answer may be lost. The second time it gets the time to answer first.
      const second = await send(content(), { signal, slowFrom: first.sent - bufferedBytes })
      return verdictOf(second.answer)
    },

    /** Says why the scanner does not answer. Undefined: it answers. */
    async fault(signal: AbortSignal): Promise<string | undefined> {
      const answer = await ask('PING', signal)
      if ('fault' in answer) return answer.fault
      return answer.text === 'PONG\0' ? undefined : `it answered: ${shown(answer.text)}`
    },

    /** The version of the scanner and of its signatures, as one line. Undefined: it does not tell. */
    async version(signal: AbortSignal): Promise<string | undefined> {
      const answer = await ask('VERSION', signal)
      return 'fault' in answer || !answer.text.endsWith('\0') ? undefined : shown(answer.text)
    },
  }
}

export type Clamd = ReturnType<typeof createClamd>

/** Yields the parts that are sent at once, none of them without bytes, which would end the stream. */
async function* partsOf(
  content: AsyncIterable<Buffer>,
  { signal, slowFrom }: { signal: AbortSignal; slowFrom: number },
): AsyncGenerator<Buffer> {
  let bytes = 0
  for await (const piece of content) {
    signal.throwIfAborted()
    bytes += piece.length
    const isSlow = bytes >= slowFrom
    const most = isSlow ? smallBytes : piece.length
    for (let at = 0; at < piece.length; at += most) {
      if (isSlow) await setTimeout(answerMs, undefined, { signal })
      yield piece.subarray(at, at + most)
    }
  }
}

function lengthOf(piece: Buffer): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(piece.length)
  return length
}

/** An open connection to a scanner, for one command. */
interface Conversation extends AsyncDisposable {
  /** Sends bytes. Returns false when no more are accepted: there is an answer, or the connection is closed. */
  send(bytes: Buffer): Promise<boolean>
  /** Everything that the scanner has sent, when it has closed the connection. Never rejects. */
  answer: Promise<Answer>
}

function openConversation(
  address: ClamdAddress,
  { connectMs, silenceMs, signal }: Required<Times> & { signal: AbortSignal },
): Conversation {
  const socket = connect(address)
  const answer = answerOf(socket, { signal, silenceMs })
  const connecting = startTimer(() => {
    socket.emit('timeout')
  }, connectMs)
  socket.once('connect', () => {
    clearTimeout(connecting)
    socket.setTimeout(silenceMs)
  })
  let isOver = false
  // The scanner answers before the end only to refuse the rest.
  const over = new Promise<false>((resolve) => {
    const end = () => {
      isOver = true
      resolve(false)
    }
    socket.once('data', end)
    void answer.then(end)
  })
  return {
    answer,
    async send(bytes) {
      // Lets an answer arrive first.
      await setImmediate()
      if (isOver) return false
      const written = new Promise<true>((resolve) => socket.write(bytes, () => resolve(true)))
      await Promise.race([written, over])
      return !isOver
    },
    async [Symbol.asyncDispose]() {
      clearTimeout(connecting)
      socket.destroy()
      await answer
    },
  }
}

function answerOf(
  socket: Socket,
  { signal, silenceMs }: { signal: AbortSignal; silenceMs: number },
): Promise<Answer> {
  return new Promise((resolve) => {
    const received: Buffer[] = []
    let bytes = 0
    let fault: Fault | undefined
    let hasEnded = false
    const onAbort = () => socket.destroy()
    const fail = (text: string, kind: Partial<Fault> = {}) => {
      fault ??= { fault: text, isSilent: false, isBroken: false, ...kind }
      socket.destroy()
    }
    signal.addEventListener('abort', onAbort)
    socket.on('data', (piece: Buffer) => {
      bytes += piece.length
      if (bytes > mostAnswerBytes) return fail('its answer is too long')
      received.push(piece)
    })
    socket.on('timeout', () => {
      const wait = socket.connecting
        ? 'it does not accept the connection'
        : `it was silent for ${silenceMs / 1000} s`
      fail(wait, { isSilent: true })
    })
    socket.on('error', (error: NodeJS.ErrnoException) => {
      // An answer that arrived before the connection broke is still read: the size limit is refused in this way.
      if (received.length > 0) return
      const isBroken = error.code === 'EPIPE' || error.code === 'ECONNRESET'
      fail(`the connection failed (${error.code ?? error.message})`, { isBroken })
    })
    socket.on('end', () => {
      hasEnded = true
    })
    socket.on('close', () => {
      signal.removeEventListener('abort', onAbort)
      if (received.length === 0) fail('it closed the connection without an answer', { isBroken: true })
      resolve(fault ?? { text: Buffer.concat(received).toString('latin1'), hasEnded })
    })
    if (signal.aborted) onAbort()
  })
}
