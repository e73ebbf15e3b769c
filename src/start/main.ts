import type { Config } from '#src/config/config.ts'
import { openControl } from '#src/control/control-socket.ts'
import { createLog, type Log, type Logger } from '#src/core/log/log.ts'
import { createRecentLines, type RecentLines } from '#src/core/log/recent-lines.ts'
import { version } from '#src/core/version.ts'
import { doctorCalls } from '#src/doctor/doctor-calls.ts'
import { stat } from '#src/files/paths/disk.ts'
import type { App } from '#src/http/at.ts'
import { limitArenas, returnFreeMemory } from '#src/lifecycle/free-memory.ts'
import { createNotifier } from '#src/lifecycle/notifier.ts'
import { announceFolder } from '#src/lifecycle/served-folder.ts'
import type { ServiceManager } from '#src/lifecycle/service-manager.ts'
import { handleSignals } from '#src/lifecycle/signals.ts'
import { openSandbox, openSiteSandbox } from '#src/sandbox/open-sandbox.ts'
import { createApp } from '#src/server/app.ts'
import { loadAssets } from '#src/server/assets.ts'
import { listen } from '#src/server/sockets/listen.ts'
import { checkCertificate, readTls, reloadCertificate } from '#src/server/sockets/tls.ts'
import { createControlCalls } from './control-calls.ts'
import {
  completeFirstRun,
  createFirstStart,
  createFirstState,
  markPasswordPrinted,
  setupNotice,
} from './first-run.ts'
import { lockState, openAccounts, openHistory, openWork } from './instance.ts'
import { createServices } from './services.ts'
import { openStateFolder } from './state-folder.ts'

// After a refusal, clients have this long to read the response.
const refusalGraceMs = 1000
const sweepEveryMs = 100

/**
 * Runs the server until a signal ends it. Passes messages for the operator to `print`.
 *
 * @throws StartupProblem when it cannot start.
 */
export async function serve(config: Config, { manager, hasTerminal, ...how }: ServeOptions): Promise<void> {
  limitArenas()
  const recentLines = createRecentLines()
  const log = openLog(config, recentLines.add)
  const notifier = createNotifier(manager, log)
  const stopping = new AbortController()
  const { signal } = stopping
  let running: Awaited<ReturnType<typeof start>> | undefined
  const reload = () => {
    log.reopen()
    if (!running || signal.aborted) return
    notifier.reloading()
    reloadCertificate(config, { use: running.app.setCertificate, log })
    log.info('the server opened its log again')
    notifier.ready(running.status)
  }
  // Signals are handled from the beginning, so that a stopped start removes what it created. A second signal ends the
  // process.
  const stopped = handleSignals({ reload, reopen: log.reopen }, hasTerminal).then(() => stopping.abort())
  const { descriptors } = manager
  running = await start(config, { ...how, log, signal, descriptors, recentLines }).catch((error: unknown) => {
    if (error !== signal.reason) throw error
    return undefined
  })
  if (!running) return
  notifier.ready(running.status)
  const endTrimming = returnFreeMemory()
  await stopped
  log.info('the server is stopping')
  endTrimming()
  notifier.stopping(`Waiting for transfers, at most ${config.stopTimeoutMs / 1000} s`)
  await running.close()
  log.info('the server has stopped')
}

function openLog(
  { log: target, logFormat: format, logMaxSize, logKeep: keep, logMaxDays }: Config,
  onLine: (line: string) => void,
): Log {
  const rotation = { maxSize: logMaxSize, keep, maxAgeMs: logMaxDays * 24 * 60 * 60_000 }
  return createLog({ target, format, rotation, onLine })
}

/**
 * Starts the server and returns once it listens on `url`. A failed first start removes everything it created, and
 * prints no password. The next start replaces a password that was not printed because the process was killed.
 *
 * @param how.signal aborts a start that does not listen yet, as if it had failed
 * @throws StartupProblem, or the signal's reason.
 */
export async function start(
  config: Config,
  { log, print, isTerminal = false, signal, descriptors = [], recentLines }: StartOptions,
) {
  const assets = await loadAssets()
  const stateFolder = await openStateFolder(config)
  const first = createFirstStart(isTerminal)
  const opened = new AsyncDisposableStack()
  try {
    await lockState({ stateFolder, opened })
    opened.defer(async () => {
      if (first.isCreated) await stateFolder.removeCreated()
    })
    const history = openHistory({ stateFolder, log, opened })
    const sandbox = await openSandbox(config, { secret: stateFolder.secret, print })
    signal?.throwIfAborted()
    const siteSandbox = await openSiteSandbox(config, { sandbox, secret: stateFolder.secret, print })
    const accounts = await openFirstAccounts(config, { stateFolder, log, opened }, first)
    const state = {
      ...accounts,
      ...(await openWork(config, { stateFolder, log, opened, history }, accounts)),
    }
    const { secret, cacheFolder } = stateFolder
    const services = createServices(config, {
      ...state,
      stateFolder: stateFolder.folder,
      secret,
      log,
      cacheFolder,
      sandbox,
      siteSandbox,
      recentLines,
    })
    opened.defer(() => services.close())
    const { baseUrl, trustedProxy, logRequests } = config
    const tls = readTls(config.cert, config.key)
    const server = { baseUrl, trustedProxy, logRequests, tls, limits: config }
    const app = await createApp(services, { assets, server, log })
    opened.defer(() => closeApp(app, config.stopTimeoutMs))
    await history.opened
    await services.recover()
    signal?.throwIfAborted()
    const url = await listen(app, config, descriptors)
    checkCertificate(config, log)
    await warnOfOtherState(config, { log, opened })
    first.isCreated = false // from here on the state stays
    services.audit.start(version)
    for (const line of first.lines) print(line)
    if (state.setupCode) print(setupNotice(url, config, state.setupCode))
    if (isTerminal && first.lines.length > 0) await markPasswordPrinted(state.store).catch(markFailed(log))
    const calls = {
      ...createControlCalls({ ...state, ...services, root: config.root }),
      ...doctorCalls(services.doctor),
    }
    opened.use(await openControl(stateFolder.folder, { calls, log }))
    const status = `Coffer serves ${config.root} at ${url}`
    print(status)
    return { url, status, app, close: () => opened.disposeAsync() }
  } catch (error) {
    await opened.disposeAsync().catch(() => {}) // the first error is the one to report
    throw error
  }
}

/** Options of `serve`. */
interface ServeOptions extends Pick<StartOptions, 'print' | 'isTerminal'> {
  /** The service manager that has started this process. */
  manager: ServiceManager
  /** Whether a terminal controls this process. */
  hasTerminal: boolean
}

/** Options of `start`. */
interface StartOptions {
  log: Log
  print: (line: string) => void
  /** Whether a person reads what is printed. */
  isTerminal?: boolean | undefined
  signal?: AbortSignal
  /** The sockets to listen on instead of the address of the configuration. */
  descriptors?: readonly number[]
  /** Receives the lines of the log. Undefined: a bug report has no log, unless it is a file. */
  recentLines?: RecentLines
}

/** The next start then generates and prints another password, unless the user changed this one. */
function markFailed(log: Logger): (error: unknown) => void {
  return (err) =>
    log.error(
      { err },
      'the server cannot record that the first password was printed; the next start may print another one',
    )
}

/**
 * Warns when another process serves the same folder with another state. The lock of the state does not notice it, and
 * neither of them sees what the other one deletes, replaces or shares.
 */
async function warnOfOtherState(
  { root }: Config,
  { log, opened }: { log: Logger; opened: AsyncDisposableStack },
): Promise<void> {
  const { dev, ino } = await stat(root, { bigint: true })
  const announced = await announceFolder(`${dev}-${ino}`)
  if (announced) opened.use(announced)
  else
    log.warn(
      { root },
      'another Coffer process serves the same folder with another --database; neither knows the trash, the versions and the shares of the other: stop one of them, or use one --database',
    )
}

/** Opens the state. A first start creates it. */
async function openFirstAccounts(
  config: Config,
  options: Parameters<typeof openAccounts>[0],
  first: ReturnType<typeof createFirstStart>,
) {
  const accounts = await openAccounts(options, () => {
    first.isCreated = true
    return createFirstState(config, first)
  })
  return { ...accounts, setupCode: await completeFirstRun(config, accounts.store, first) }
}

/**
 * Lets requests finish within the deadline, then refuses uploads and closes the remaining connections. Failed uploads
 * remove their temporary files.
 */
async function closeApp(app: App, withinMs: number): Promise<void> {
  let timer = setTimeout(() => {
    app.abortRunning()
    timer = setTimeout(() => app.server.closeAllConnections(), refusalGraceMs)
  }, withinMs)
  // Otherwise a connection whose request ends during the wait would stay open for a next request.
  const sweep = setInterval(() => app.server.closeIdleConnections(), sweepEveryMs)
  await app.close()
  clearTimeout(timer)
  clearInterval(sweep)
}
