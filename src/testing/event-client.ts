import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import type { Test } from 'tap'
import type { ShownFolder } from '#contract/history/events.ts'
import { exchange, until } from './wire.ts'

/** A received event. */
export interface ReceivedEvent {
  event: string
  data: { id?: string; folder?: string; names?: string[]; isWatched?: boolean; modified?: string }
}

/** Connects to the events of the server on a port of this machine. @throws Error when the server refuses. */
export async function receiveEvents(t: Test, port: number, token: string) {
  const headers = { 'x-auth': token }
  const outgoing = request({ host: '127.0.0.1', port, path: '/api/events', headers, agent: false })
  outgoing.on('error', () => {}) // the server may close the connection
  outgoing.end()
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage]
  if (response.statusCode !== 200) throw new Error(`events: ${response.statusCode}`)
  t.teardown(() => outgoing.destroy())
  const events: ReceivedEvent[] = []
  let rest = ''
  response.setEncoding('utf8').on('data', (text: string) => {
    const blocks = (rest + text).split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks) {
      const found = /^event: (\w+)\ndata: ([^\n]*)$/.exec(block)
      if (found) events.push({ event: found[1] ?? '', data: JSON.parse(found[2] ?? '') })
    }
  })
  response.on('error', () => {})
  const find = (matches: (event: ReceivedEvent) => boolean) => until(() => events.find(matches))
  const { data } = await find(({ event }) => event === 'hello')
  const id = data.id ?? ''
  const isChange = ({ event, data }: ReceivedEvent, folder: string) =>
    event === 'change' && data.folder === folder
  return {
    id,
    /** All events so far. */
    events,
    response,
    /** Waits for an event that fulfils the condition, and returns it. */
    until: find,
    /** Waits for a change of the folder; with a name, one that names it. */
    change: (folder: string, name?: string) =>
      find((one) => isChange(one, folder) && (name === undefined || (one.data.names ?? []).includes(name))),
    /** The names that changes of this folder have had so far, sorted. */
    namesIn: (folder: string) =>
      [...new Set(events.flatMap((one) => (isChange(one, folder) ? (one.data.names ?? ['?']) : [])))].sort(),
    /** Sets the shown folders. */
    async show(...folders: string[]): Promise<ShownFolder[]> {
      const body = JSON.stringify({ folders })
      const sent = { ...headers, 'content-type': 'application/json' }
      const reply = await exchange(port, 'PUT', `/api/events/${id}`, { headers: sent, body })
      if (reply.status !== 200) throw new Error(`PUT: ${reply.status} ${reply.body}`)
      return JSON.parse(reply.body)
    },
    /** Waits until the server has closed the connection. */
    async closed() {
      await until(() => response.destroyed || response.readableEnded)
    },
    disconnect: () => outgoing.destroy(),
  }
}
