import { StartupProblem } from '#src/core/problem.ts'

/** What the service manager, such as systemd, wants from this process and has opened for it. */
export interface ServiceManager {
  /** The sockets that the process listens on instead of its own address. Empty: none. */
  readonly descriptors: readonly number[]
  /** The socket for messages about the state of the service; undefined: none. */
  readonly notifySocket: string | undefined
  /** The service is restarted if it sends no message for this long; undefined: no watchdog. */
  readonly watchdogMs: number | undefined
}

// sd_listen_fds(3): the first descriptor after standard input, output and error.
const firstDescriptor = 3
const maxDescriptors = 64

const variables = [
  ...['NOTIFY_SOCKET', 'WATCHDOG_USEC', 'WATCHDOG_PID'],
  ...['LISTEN_FDS', 'LISTEN_PID', 'LISTEN_FDNAMES', 'LISTEN_PIDFDID'],
]

/**
 * Reads the variables of the service manager (sd_notify(3), sd_watchdog_enabled(3), sd_listen_fds(3)) and removes them
 * from `env`, so that programs that Coffer starts do not use them.
 *
 * @throws StartupProblem when the number of sockets is not valid.
 */
export function takeServiceManager(env: NodeJS.ProcessEnv, pid: number): ServiceManager {
  const { NOTIFY_SOCKET: socket = '', WATCHDOG_USEC, WATCHDOG_PID, LISTEN_FDS, LISTEN_PID } = env
  for (const name of variables) Reflect.deleteProperty(env, name)
  const watchdog = isFor(WATCHDOG_PID, pid) ? Number(WATCHDOG_USEC) / 1000 : Number.NaN
  return {
    // The variables may be meant for a process that started this one. Then the descriptors are not open here.
    descriptors: LISTEN_PID === String(pid) ? descriptorsOf(LISTEN_FDS) : [],
    // Other kinds, such as `vsock:` for virtual machines, do not occur on the same system.
    notifySocket: /^[/@]./.test(socket) ? socket : undefined,
    watchdogMs: watchdog > 0 ? watchdog : undefined,
  }
}

function isFor(expected: string | undefined, pid: number): boolean {
  return expected === undefined || expected === '' || expected === String(pid)
}

function descriptorsOf(count = '0'): number[] {
  if (!/^\d{1,2}$/.test(count) || Number(count) > maxDescriptors)
    throw new StartupProblem(`LISTEN_FDS must be a number up to ${maxDescriptors}; it is "${count}".`)
  return Array.from({ length: Number(count) }, (_, at) => firstDescriptor + at)
}
