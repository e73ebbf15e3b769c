import type {
  ChangeEvent,
  HelloEvent,
  LostEvent,
  NoticeEvent,
  ShownFolder,
  TrashEvent,
} from '#contract/history/events.ts'
import { ApiProblem, addressOf, connection, headers, refusal } from '#web/api/client.ts'

/** An event of the server (`src/contract/history/events.ts`). Folders have no slash at the end. */
export type ServerEvent =
  | ({ event: 'hello' } & HelloEvent)
  | ({ event: 'change' } & ChangeEvent)
  | ({ event: 'trash' } & TrashEvent)
  | ({ event: 'notice' } & NoticeEvent)
  | ({ event: 'lost' } & LostEvent)
  | ({ event: 'watch' } & ShownFolder)

interface Receiving {
  signal: AbortSignal
  onEvent(event: ServerEvent): void
  /** Called whenever something has arrived, also comments without an event. */
  onBytes(): void
}

/**
 * Receives events until the server ends the connection.
 *
 * @throws ApiProblem when the server refuses, cannot be reached, or `signal` aborts.
 */
export async function receiveEvents({ signal, onEvent, onBytes }: Receiving): Promise<void> {
  const { token } = connection
  const lost = (error: Error) => {
    throw new ApiProblem(0, signal.aborted ? 'network.aborted' : 'network.lost', error.message)
  }
  const response = await fetch(addressOf('/api/events'), { headers: headers(), signal }).catch(lost)
  if (!response.ok || !response.body) throw refusal(response.status, await response.text(), token)
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  for (;;) {
    const { done, value } = await reader.read().catch(lost)
    if (done) return
    onBytes()
    const blocks = (rest + value).split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks) {
      const event = parse(block)
      if (event) onEvent(event)
    }
  }
}

/** Parses one event; undefined for a comment. */
function parse(block: string): ServerEvent | undefined {
  const [, event, data = ''] = /^event: (\w+)\ndata: ([^\n]*)$/.exec(block) ?? []
  // The server sends only events of the contract, and each in one line.
  return event ? ({ event, ...JSON.parse(data) } as ServerEvent) : undefined
}

/**
 * The version of the file at `path`, as in `If-Match`; undefined: it does not exist or may not be read any more.
 *
 * @throws ApiProblem for other reasons.
 */
export async function etagOf(path: string, signal: AbortSignal): Promise<string | undefined> {
  const { token } = connection
  const address = addressOf('/api/resources/*', { '*': path })
  const response = await fetch(address, { method: 'HEAD', headers: headers(), signal }).catch(
    (error: Error) => {
      throw new ApiProblem(0, signal.aborted ? 'network.aborted' : 'network.lost', error.message)
    },
  )
  if (response.status === 403 || response.status === 404) return undefined
  if (!response.ok) throw refusal(response.status, '', token)
  return response.headers.get('ETag') ?? undefined
}
