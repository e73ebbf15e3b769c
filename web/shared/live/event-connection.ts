import type { ShownFolder } from '#contract/history/events.ts'
import { ApiProblem, api } from '#web/api/client.ts'
import { receiveEvents, type ServerEvent } from '#web/api/history/events.ts'

// Delays before the next attempt, in milliseconds. The first is short, because a server ends each connection after an
// hour. A server that refuses (too many connections) is not asked more often than a page without events asks.
const delays = [500, 2000, 5000, 15_000, 30_000]
const refusedDelay = 60_000
// The server sends something every 20 seconds.
const silentMs = 50_000
const checkEveryMs = 10_000

interface ConnectionOptions {
  onEvent(event: ServerEvent): void
  /** Called when there is a connection, with its id. */
  onConnected(id: string): void
  onLost(): void
  /** Called with the shown folders as the server sees them. */
  onShown(folders: readonly ShownFolder[]): void
}

/**
 * One connection to the events of the server. Connects again after an interruption: at once when the network returns
 * or the page is shown again, otherwise after a growing delay.
 */
export function createEventConnection({ onEvent, onConnected, onLost, onShown }: ConnectionOptions) {
  const alarm = createAlarm()
  let current: AbortController | undefined
  let id: string | undefined
  let folders: readonly string[] = []
  let heardAt = 0
  let attempts = 0
  let isStopped = false

  async function sendFolders(): Promise<void> {
    const [connectionId, wanted] = [id, folders]
    if (connectionId === undefined) return
    const input = { params: { id: connectionId }, body: { folders: [...wanted] } }
    // Without watched folders the page asks from time to time.
    const shown = await api('PUT /api/events/:id', input).catch(() => undefined)
    if (shown && wanted === folders && id === connectionId) onShown(shown)
  }

  function hear(event: ServerEvent): void {
    if (event.event === 'hello') {
      id = event.id
      attempts = 0
      onConnected(id)
      if (folders.length > 0) void sendFolders()
    } else onEvent(event)
  }

  /** Receives events until the connection ends. Returns the delay before the next attempt. */
  async function connect(): Promise<number> {
    current = new AbortController()
    const { signal } = current
    const onBytes = () => {
      heardAt = Date.now()
    }
    onBytes()
    const error = await receiveEvents({ signal, onEvent: hear, onBytes }).catch((error: unknown) => error)
    current = undefined
    id = undefined
    onLost()
    const isRefused = error instanceof ApiProblem && error.status >= 400 && error.status < 500
    const delay = delays[Math.min(attempts++, delays.length - 1)] ?? 0
    // Not all pages at the same moment after a restart of the server.
    return (isRefused ? refusedDelay : delay) * (0.75 + Math.random() / 2)
  }

  async function run(): Promise<void> {
    while (!isStopped) await alarm.wait(await connect())
  }

  /** Ends a connection from which nothing arrives, for example after sleep. */
  function endSilent(): void {
    if (!navigator.onLine || Date.now() - heardAt > silentMs) current?.abort()
  }

  const unwatch = onReturn(() => {
    attempts = 0
    endSilent()
    alarm.ring()
  })
  const timer = setInterval(endSilent, checkEveryMs)
  void run()

  return {
    /** Sets the shown folders, without a slash at the end. */
    show(next: readonly string[]): void {
      folders = next
      void sendFolders()
    },

    stop(): void {
      isStopped = true
      current?.abort()
      alarm.ring()
      clearInterval(timer)
      unwatch()
    },
  }
}

/** A wait that can be ended early. */
function createAlarm() {
  let ring = () => {}
  return {
    ring: () => ring(),
    wait: (ms: number) =>
      new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms)
        ring = () => {
          clearTimeout(timer)
          resolve()
        }
      }),
  }
}

/** Calls `work` when the network comes or goes, and when the page is shown. Returns a function that ends this. */
function onReturn(work: () => void): () => void {
  const onVisible = () => {
    if (document.visibilityState === 'visible') work()
  }
  for (const type of ['online', 'offline']) addEventListener(type, work)
  document.addEventListener('visibilitychange', onVisible)
  return () => {
    for (const type of ['online', 'offline']) removeEventListener(type, work)
    document.removeEventListener('visibilitychange', onVisible)
  }
}
