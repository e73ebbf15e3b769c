/** What a process does when it receives signals. */
export interface SignalHandlers {
  /** SIGHUP: loads again what may have changed. */
  reload(): void
  /** SIGUSR2: opens the log file again. */
  reopen(): void
}

/**
 * Handles signals from now on, until the process ends. The promise resolves at the first SIGTERM or SIGINT; a second
 * one ends the process at once.
 *
 * @param hasTerminal whether a terminal controls the process. Then SIGHUP means that the terminal was closed, and stops
 *   the process like SIGTERM
 */
export function handleSignals({ reload, reopen }: SignalHandlers, hasTerminal: boolean): Promise<void> {
  return new Promise((resolve) => {
    process.once('SIGTERM', () => resolve())
    process.once('SIGINT', () => resolve())
    if (hasTerminal) process.once('SIGHUP', () => resolve())
    else process.on('SIGHUP', reload)
    process.on('SIGUSR2', reopen)
  })
}
