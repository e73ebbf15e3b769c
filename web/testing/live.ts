import { once } from 'node:events'
import { createServer, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import type { Test } from 'tap'

/** Resolves when the server watches a folder that the page is about to show. */
export const watched = (page: Page) =>
  page.waitForResponse(
    (response) => response.request().method() === 'PUT' && /\/api\/events\//.test(response.url()),
  )

/** Makes the page believe that its tab is hidden, or shown. */
export async function setVisible(page: Page, isVisible: boolean): Promise<void> {
  await page.evaluate(
    (state) => {
      Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => state })
      document.dispatchEvent(new Event('visibilitychange'))
    },
    isVisible ? 'visible' : 'hidden',
  )
}

/**
 * Listens for the next event of this kind that the page receives; with `name`, for one that names this entry. Returns a
 * function that waits for it. The page must have the connection of all tabs.
 */
export async function received(
  page: Page,
  event: 'change' | 'trash' | 'notice',
  name?: string,
): Promise<() => Promise<unknown>> {
  const heard = await page.evaluateHandle(
    ([event, name]) => {
      // The name of the channel contains the id of the first user.
      const channel = new BroadcastChannel('coffer-live  1')
      const promise = new Promise<void>((resolve) => {
        channel.onmessage = ({ data }) => {
          if (data.is !== 'event' || data.event.event !== event) return
          if (name !== undefined && data.event.names && !data.event.names.includes(name)) return
          channel.close()
          resolve()
        }
      })
      return { promise }
    },
    [event, name] as const,
  )
  return () => heard.evaluate(({ promise }) => promise)
}

/**
 * Starts a proxy in front of the server at `url` that can cut the connections for events, refuse them or hold back what
 * they send.
 */
export async function startEventProxy(t: Test, url: string) {
  const open = new Map<ServerResponse, { isSilent: boolean }>()
  const state = { refusal: undefined as 'cut' | number | undefined, attempts: 0 }
  const server = createServer((incoming, outgoing) => {
    const { method, headers, url: at = '/' } = incoming
    const isEvents = at === '/api/events'
    const { refusal } = state
    if (isEvents) state.attempts++
    if (isEvents && refusal !== undefined) {
      if (refusal === 'cut') return void outgoing.destroy()
      outgoing.writeHead(refusal, { 'Content-Type': 'application/json' })
      return void outgoing.end(JSON.stringify({ code: 'request.limited', status: refusal, detail: '' }))
    }
    const onward = request(new URL(at, url), { method: method ?? 'GET', headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers)
      if (!isEvents) return void answer.pipe(outgoing)
      const connection = { isSilent: false }
      open.set(outgoing, connection)
      answer.on('data', (bytes) => connection.isSilent || outgoing.write(bytes))
      answer.on('end', () => outgoing.end())
    })
    onward.on('error', () => outgoing.destroy())
    outgoing.on('close', () => {
      open.delete(outgoing)
      onward.destroy()
    })
    incoming.pipe(onward)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** How new connections are refused, and how many were tried. */
    state,
    /** The number of open connections. */
    connections: () => open.size,
    /** Closes the open connections. */
    cut() {
      for (const one of open.keys()) one.destroy()
      open.clear()
    },
    /** Lets nothing more arrive on the open connections. */
    silence() {
      for (const one of open.values()) one.isSilent = true
    },
  }
}
