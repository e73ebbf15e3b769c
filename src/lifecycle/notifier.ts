import type { Logger } from '#src/core/log/log.ts'
import { sendDatagram } from './datagram.ts'
import type { ServiceManager } from './service-manager.ts'

/** Messages to the service manager about the state of the service. Without one, they do nothing. */
export interface Notifier {
  /** The service is ready, or ready again. @param status one sentence for `systemctl status` */
  ready(status: string): void
  /** The service loads its configuration again. `ready` must follow. */
  reloading(): void
  /** The service stops, and may take a while. */
  stopping(status: string): void
}

const retryMs = 250
// Messages that wait because the queue of the service manager is full. More come only if it hangs.
const maxWaiting = 20

/**
 * Sends messages to the service manager (sd_notify(3)). From the first `ready` until the process ends, also sends one
 * at each half of the watchdog's time. These come from the event loop, so that they also stop when it is blocked.
 */
export function createNotifier(
  { notifySocket, watchdogMs }: Pick<ServiceManager, 'notifySocket' | 'watchdogMs'>,
  log: Pick<Logger, 'warn'>,
): Notifier {
  if (notifySocket === undefined) return { ready() {}, reloading() {}, stopping() {} }
  const socket = notifySocket
  const waiting: string[] = []
  let hasWarned = false

  function send(...lines: string[]): void {
    waiting.push(lines.join('\n'))
    if (waiting.length > maxWaiting) waiting.shift()
    if (waiting.length === 1) flush()
  }

  function flush(): void {
    for (let [oldest] = waiting; oldest !== undefined; [oldest] = waiting) {
      if (!sendDatagram(socket, oldest)) {
        if (!hasWarned)
          log.warn({ socket }, 'the service manager does not accept a message; it is sent again')
        hasWarned = true
        setTimeout(flush, retryMs).unref()
        return
      }
      waiting.shift()
    }
  }

  let watchdog: NodeJS.Timeout | undefined
  function startWatchdog(): void {
    if (watchdogMs === undefined) return
    watchdog ??= setInterval(() => {
      if (waiting.length === 0) send('WATCHDOG=1')
    }, watchdogMs / 2).unref()
  }

  return {
    ready(status) {
      send('READY=1', statusLine(status))
      startWatchdog()
    },
    // The time lets systemd assign this message to its own request to reload (Type=notify-reload).
    reloading: () => send('RELOADING=1', `MONOTONIC_USEC=${process.hrtime.bigint() / 1000n}`),
    stopping: (status) => send('STOPPING=1', statusLine(status)),
  }
}

/** A message has one assignment a line, and a path may contain line breaks. */
function statusLine(status: string): string {
  return `STATUS=${status.replace(/\p{Cc}/gu, ' ')}`
}
