import type { ShownFolder } from '#contract/history/events.ts'
import type { ServerEvent } from '#web/api/history/events.ts'
import { createEventConnection } from './event-connection.ts'

/** What a tab receives, from its own connection or from the tab that has it. */
export interface TabListener {
  onEvent(event: ServerEvent): void
  /** Called when there is a connection. Another id than before means an interruption. */
  onConnected(id: string): void
  onLost(): void
  onShown(folders: readonly ShownFolder[]): void
}

/** A message between the tabs of one browser. Folders have no slash at the end. */
type Message =
  | { is: 'shown'; tab: string; folders: readonly string[] }
  | { is: 'gone'; tab: string }
  | { is: 'who' }
  | { is: 'event'; event: ServerEvent }
  | { is: 'connected'; id: string }
  | { is: 'lost' }
  | { is: 'folders'; folders: readonly ShownFolder[] }

// The server accepts as many folders of one connection.
const mostFolders = 32
// A tab without an answer has crashed or is frozen. When it continues, it sends its folders again.
const askEveryMs = 60_000
const answerMs = 5000

/**
 * Receives events through one connection for all tabs of this browser that have the same `name`: browsers allow only six
 * connections to a server without HTTP/2. The tab that holds the lock has the connection. Browsers offer locks only on
 * HTTPS and on this machine; elsewhere each tab has a connection while it is visible.
 */
export function shareConnection(name: string, listener: TabListener) {
  const canShare = 'locks' in navigator && 'BroadcastChannel' in globalThis
  return canShare ? shareByLock(name, listener) : connectWhileVisible(listener)
}

function shareByLock(name: string, listener: TabListener) {
  const channel = new BroadcastChannel(name)
  const ended = new AbortController()
  const tab = crypto.randomUUID()
  let own: readonly string[] = []
  let leader: ReturnType<typeof lead> | undefined

  // The connection may end after the channel was closed.
  const tell = (message: Message) => {
    if (!ended.signal.aborted) channel.postMessage(message)
  }
  const tellShown = () => {
    if (leader) leader.hear({ is: 'shown', tab, folders: own })
    else tell({ is: 'shown', tab, folders: own })
  }

  channel.addEventListener('message', ({ data }: MessageEvent<Message>) => {
    if (leader) leader.hear(data)
    else if (data.is === 'who') tellShown()
    else receive(listener, data)
  })
  const onVisible = () => document.visibilityState === 'visible' && tellShown()
  document.addEventListener('visibilitychange', onVisible)
  const onHide = () => tell({ is: 'gone', tab })
  addEventListener('pagehide', onHide)

  // Resolves the request, and so gives the lock to another tab, only at the end.
  const held = Promise.withResolvers<void>()
  navigator.locks
    .request(name, { signal: ended.signal }, () => {
      if (ended.signal.aborted) return
      leader = lead(listener, tell)
      tellShown()
      return held.promise
    })
    // Stopped before this tab got the lock.
    .catch(() => undefined)

  return {
    /** Sets the folders that this tab shows, without a slash at the end. */
    show(folders: readonly string[]): void {
      own = folders
      tellShown()
    },

    stop(): void {
      onHide()
      removeEventListener('pagehide', onHide)
      document.removeEventListener('visibilitychange', onVisible)
      leader?.stop()
      held.resolve()
      ended.abort()
      channel.close()
    },
  }
}

/** Has the connection for all tabs, passes on what it receives, and collects the folders that they show. */
function lead(listener: TabListener, tell: (message: Message) => void) {
  const shownBy = new Map<string, readonly string[]>()
  const answered = new Set<string>()
  let isStopped = false
  const pass = (message: Message) => {
    // The connection reports its end after this tab has left the channel.
    if (isStopped) return
    tell(message)
    receive(listener, message)
  }
  let connected: string | undefined
  const connection = createEventConnection({
    onEvent: (event) => pass({ is: 'event', event }),
    onConnected(id) {
      connected = id
      pass({ is: 'connected', id })
    },
    onLost() {
      connected = undefined
      pass({ is: 'lost' })
    },
    onShown: (folders) => pass({ is: 'folders', folders }),
  })

  /** Sends the folders of all tabs. The answer says since when each is watched, which a new tab compares. */
  const update = () => connection.show([...new Set([...shownBy.values()].flat())].slice(-mostFolders))

  function ask(): void {
    answered.clear()
    tell({ is: 'who' })
    answers = setTimeout(() => {
      const gone = [...shownBy.keys()].filter((tab) => tab !== ownTab && !answered.has(tab))
      for (const tab of gone) shownBy.delete(tab)
      if (gone.length > 0) update()
    }, answerMs)
  }

  let answers: ReturnType<typeof setTimeout> | undefined
  let ownTab: string | undefined
  tell({ is: 'who' })
  const timer = setInterval(ask, askEveryMs)

  return {
    hear(message: Message): void {
      if (message.is === 'gone' && shownBy.delete(message.tab)) update()
      if (message.is !== 'shown') return
      const { tab, folders } = message
      // The first is this tab itself.
      ownTab ??= tab
      answered.add(tab)
      const before = shownBy.get(tab)
      // The folders of the tab that was used last are the last.
      shownBy.delete(tab)
      shownBy.set(tab, folders)
      if (connected !== undefined) tell({ is: 'connected', id: connected })
      if (before?.join('\n') !== folders.join('\n')) update()
    },
    stop(): void {
      isStopped = true
      clearInterval(timer)
      clearTimeout(answers)
      connection.stop()
    },
  }
}

function receive(listener: TabListener, message: Message): void {
  if (message.is === 'event') listener.onEvent(message.event)
  else if (message.is === 'connected') listener.onConnected(message.id)
  else if (message.is === 'lost') listener.onLost()
  else if (message.is === 'folders') listener.onShown(message.folders)
}

// A tab that is hidden for a moment keeps its connection, in milliseconds.
const hiddenMs = 10_000

function connectWhileVisible(listener: TabListener) {
  let folders: readonly string[] = []
  let connection: ReturnType<typeof createEventConnection> | undefined
  let timer: ReturnType<typeof setTimeout> | undefined

  function start(): void {
    connection = createEventConnection(listener)
    connection.show(folders)
  }

  function end(): void {
    connection?.stop()
    connection = undefined
  }

  function update(): void {
    clearTimeout(timer)
    if (document.visibilityState === 'hidden') timer = setTimeout(end, hiddenMs)
    else if (!connection) start()
  }

  document.addEventListener('visibilitychange', update)
  update()
  return {
    show(next: readonly string[]): void {
      folders = next
      connection?.show(next)
    },
    stop(): void {
      clearTimeout(timer)
      document.removeEventListener('visibilitychange', update)
      end()
    },
  }
}
