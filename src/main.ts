import { chmod, lstat, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { isSession } from '#src/auth/sessions.ts'
import { openSandbox } from '#src/commands/sandbox/open-sandbox.ts'
import type { Config } from '#src/config/config.ts'
import { errnoOf, ignoreMissing, isDiskFull } from '#src/core/errno.ts'
import { createLog, type Logger } from '#src/core/log.ts'
import { StartupProblem } from '#src/core/problem.ts'
import { lockProcess } from '#src/core/state/process-lock.ts'
import { openRecords } from '#src/core/state/records.ts'
import { nameOfRecord, type SetAside } from '#src/core/state/set-aside.ts'
import { removeSpareFile } from '#src/core/state/spare-file.ts'
import { openStore, stateFile } from '#src/core/state/store.ts'
import { createTimekeeper, isTimeRecord } from '#src/core/state/timekeeper.ts'
import { openTempFileJournal } from '#src/files/writing/temp-file-journal.ts'
import type { App } from '#src/http/at.ts'
import { createApp } from '#src/server/app.ts'
import { loadAssets } from '#src/server/assets.ts'
import { readTls } from '#src/server/sockets/server.ts'
import { isUpload } from '#src/uploads/pending-uploads.ts'
import { createFirstState, markPasswordPrinted, replaceUnprintedPassword } from './first-run.ts'
import { createServices } from './services.ts'
import { openStateFolder, type StateFolder } from './state-folder.ts'

// After a refusal, clients have this long to read the response.
const refusalGraceMs = 1000
const sweepEveryMs = 100

/**
 * Runs the server until a signal ends it. Passes messages for the operator to `print`.
 *
 * @throws StartupProblem when it cannot start.
 */
export async function serve(config: Config, print: (line: string) => void): Promise<void> {
  const log = createLog({ target: config.log, format: config.logFormat })
  const stopping = new AbortController()
  const { signal } = stopping
  // Signals are handled from the beginning, so that a stopped start removes what it created. A second signal ends the
  // process.
  const stopped = firstSignal().then(() => stopping.abort())
  const running = await start(config, { log, print, signal }).catch((error: unknown) => {
    if (error !== signal.reason) throw error
  })
  if (!running) return
  await stopped
  await running.close()
}

/**
 * Starts the server and returns once it listens on `url`. A failed first start removes everything it created, and
 * prints no password. The next start replaces a password that was not printed because the process was killed.
 *
 * @param how.signal aborts a start that does not listen yet, as if it had failed
 * @throws StartupProblem, or the signal's reason.
 */
export async function start(config: Config, { log, print, signal }: StartOptions) {
  const assets = await loadAssets()
  const stateFolder = await openStateFolder(config)
  const first: FirstStart = { isCreated: false, lines: [] }
  const opened = new AsyncDisposableStack()
  try {
    opened.defer((await lockState(stateFolder)).close)
    opened.defer(async () => {
      if (first.isCreated) await stateFolder.removeCreated()
    })
    const sandbox = await openSandbox(config, { secret: stateFolder.secret, print })
    signal?.throwIfAborted()
    const state = await openState(config, { stateFolder, log, first, opened })
    const { secret, cacheFolder } = stateFolder
    const services = createServices(config, { ...state, secret, log, cacheFolder, sandbox })
    opened.defer(() => services.close())
    const { baseUrl, trustedProxy } = config
    const server = { baseUrl, trustedProxy, tls: readTls(config.cert, config.key), limits: config }
    const app = await createApp(services, { assets, server, log })
    opened.defer(() => closeApp(app, config.stopTimeoutMs))
    signal?.throwIfAborted()
    const url = await listen(app, config)
    first.isCreated = false // from here on the state stays
    for (const line of first.lines) print(line)
    if (first.lines.length > 0) await markPasswordPrinted(state.store).catch(markFailed(log))
    print(`Coffer serves ${config.root} at ${url}`)
    return { url, app, close: () => opened.disposeAsync() }
  } catch (error) {
    await opened.disposeAsync().catch(() => {}) // the first error is the one to report
    throw error
  }
}

/** Options of `start`. */
interface StartOptions {
  log: Logger
  print: (line: string) => void
  signal?: AbortSignal
}

/** The next start then generates and prints another password, unless the user changed this one. */
function markFailed(log: Logger): (error: unknown) => void {
  return (err) =>
    log.error(
      { err },
      'the server cannot record that the first password was printed; the next start may print another one',
    )
}

/** The messages of a first start, and whether it has created a state that is not in use yet. */
interface FirstStart {
  isCreated: boolean
  lines: string[]
}

/** Locks the state for this process. @throws StartupProblem when another process holds the lock. */
async function lockState(stateFolder: StateFolder): Promise<{ close(): Promise<void> }> {
  try {
    return await lockProcess(stateFolder.folder).catch(async (error: unknown) => {
      // The socket needs an inode. Without a running server, users could not free one on a full disk.
      if (!isDiskFull(error) || !(await removeSpareFile(stateFolder.file))) throw error
      return lockProcess(stateFolder.folder)
    })
  } catch (error) {
    // Another process may use the folder now, so that this one must not remove it.
    if (!(error instanceof StartupProblem)) await stateFolder.removeEmptyCreated()
    throw error
  }
}

interface OpenOptions {
  stateFolder: StateFolder
  log: Logger
  first: FirstStart
  /** Closes what `openState` has opened. */
  opened: AsyncDisposableStack
}

/** Opens everything in the state file and in the folder beside it. A first start creates the state. */
async function openState(config: Config, { stateFolder, log, first, opened }: OpenOptions) {
  const adapter = stateFile(stateFolder.file, logSetAside(log, stateFolder.file))
  const tell = (line: string) => void first.lines.push(line)
  const store = await openStore(adapter, () => {
    first.isCreated = true
    return createFirstState(config, tell)
  })
  if (!first.isCreated) await replaceUnprintedPassword(config, store, tell)
  const sessionRecords = await openRecords(join(stateFolder.folder, 'sessions'), isSession)
  const tempFiles = await openTempFileJournal(join(stateFolder.folder, 'parts'))
  opened.defer(() => tempFiles.close())
  const uploadRecords = await openRecords(join(stateFolder.folder, 'uploads'), isUpload)
  const timeRecords = await openRecords(join(stateFolder.folder, 'clock'), isTimeRecord)
  const time = await createTimekeeper({ records: timeRecords, store, sessions: sessionRecords, log })
  opened.defer(() => time.close())
  return { store: time.store, sessionRecords, uploadRecords, tempFiles, clock: time.now }
}

function logSetAside(log: Logger, file: string): (record: SetAside) => void {
  return (record) => {
    const message = `the server moved a damaged ${nameOfRecord(record)} from the state to ${file}.aside`
    log.error({ fault: record.fault }, message)
  }
}

async function listen(app: App, config: Config): Promise<string> {
  const { address, port, socket, baseUrl } = config
  try {
    if (socket) {
      await removeDeadSocket(socket)
      await listenPrivately(app, socket)
      await chmod(socket, config.socketPerm)
      return `unix:${socket}${baseUrl}`
    }
    await app.listen({ host: address, port })
  } catch (error) {
    if (error instanceof StartupProblem) throw error
    throw new StartupProblem(listenFault(errnoOf(error), config), { cause: error })
  }
  const bound = app.server.address()
  const actual = typeof bound === 'object' && bound ? bound.port : port
  const host = address.includes(':') ? `[${address}]` : address
  return `${config.cert ? 'https' : 'http'}://${host}:${actual}${baseUrl}/`
}

/** Creates the socket with access for its owner only, so that no other user can connect before its mode is set. */
async function listenPrivately(app: App, socket: string): Promise<void> {
  const previousMask = process.umask(0o177)
  try {
    await app.listen({ path: socket })
  } finally {
    process.umask(previousMask)
  }
}

function listenFault(errno: string | undefined, { address, port, socket }: Config): string {
  if (socket)
    return `Coffer cannot create the socket ${socket} (${errno}): stop the program that uses it or remove the file, or set --socket to another path.`
  if (errno === 'EADDRINUSE')
    return `Port ${port} of ${address} is in use: stop the program that uses it, or set --port to another port.`
  if (errno === 'EACCES') return `This user may not listen on port ${port}: set --port to a port above 1023.`
  return `Coffer cannot listen on ${address}, port ${port} (${errno}): set --address to an address of this machine.`
}

/**
 * Removes the socket of a killed process. Keeps a socket that accepts connections, and any other file, because a
 * connection to a plain file is refused like one to a dead socket.
 *
 * @throws StartupProblem when there is another file.
 */
async function removeDeadSocket(socket: string): Promise<void> {
  const stats = await lstat(socket).catch(ignoreMissing)
  if (!stats) return
  if (!stats.isSocket()) {
    throw new StartupProblem(`${socket} exists and is not a socket: set --socket to another path.`)
  }
  const isDead = await new Promise<boolean>((resolve) => {
    const peer = connect(socket, () => {
      peer.destroy()
      resolve(false)
    })
    peer.on('error', (error) => resolve(errnoOf(error) === 'ECONNREFUSED'))
  })
  if (isDead) await rm(socket, { force: true })
}

function firstSignal(): Promise<void> {
  return new Promise((resolve) => {
    process.once('SIGTERM', () => resolve())
    process.once('SIGINT', () => resolve())
  })
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
