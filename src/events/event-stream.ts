import type { ServerResponse } from 'node:http'
import type {
  ChangeEvent,
  HelloEvent,
  LostEvent,
  NoticeEvent,
  ShownFolder,
  TrashEvent,
} from '#contract/history/events.ts'

/** The data of each event. */
interface EventData {
  hello: HelloEvent
  change: ChangeEvent
  trash: TrashEvent
  lost: LostEvent
  watch: ShownFolder
  notice: NoticeEvent
}

// Bytes that may wait for a slow client. One event has at most about 50 KiB.
const maxWaitingBytes = 64 * 1024

/** Sends server-sent events (HTML standard, section 9.2). Drops events of a client that reads too slowly. */
export function createEventStream(out: ServerResponse) {
  let isBehind = false
  const isOpen = () => !out.destroyed && !out.writableEnded

  function write(text: string): void {
    if (isOpen()) out.write(text)
  }

  const send = <E extends keyof EventData>(event: E, data: EventData[E]): void => {
    if (out.writableLength > maxWaitingBytes) isBehind = true
    if (!isBehind) write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
  }

  return {
    send,

    /** Shows proxies that the connection is in use. A client that reads nothing gets none, so that it times out. */
    sendComment(): void {
      if (out.writableLength === 0) write(':\n\n')
    },

    /** From now on events are dropped, until the client has read what waits. Then it receives `lost`. */
    markLost(): void {
      isBehind = true
    },

    /** Sends `lost` if events were dropped and the client has read all others. */
    reportLost(): void {
      if (!isBehind || out.writableLength > 0) return
      isBehind = false
      send('lost', { folder: '/' })
    },

    /** Ends the response after the events that wait. */
    end(): void {
      if (isOpen()) out.end()
    },

    /** Closes the connection at once. */
    abort(): void {
      out.destroy()
    },
  }
}

export type EventStream = ReturnType<typeof createEventStream>
