import type { Actor } from '#src/access/principal.ts'
import type { AuditEntry } from '#src/audit/entry.ts'
import type { Logger } from '#src/core/log/log.ts'
import { Problem, problemOf } from '#src/core/problem.ts'
import { realForRecord, servedPath } from '#src/files/paths/path-access.ts'
import type { NormalizedPath } from '#src/files/paths/user-path.ts'
import { watchAccess } from '#src/http/limits.ts'
import type { CommandResult, Commands } from './commands.ts'
import { type CommandSocket, firstMessage, keepAlive, sendText } from './socket.ts'

/** The user of a socket, and the folder of the command. */
export interface CommandClient {
  actor: Actor
  path: NormalizedPath
  address: string
  /** The id of the request that opened the socket. */
  request: string
  log: Pick<Logger, 'info' | 'error'>
  /** Records the command in the audit log. */
  note(entry: AuditEntry): void
  /** Real path of the served folder. */
  root: string
}

/**
 * Runs the one command that a client sends on its socket, sends its output, and closes the socket
 * (contract/compatibility.md#shell).
 */
export async function runOverSocket(
  commands: Commands,
  socket: CommandSocket,
  caller: CommandClient,
): Promise<void> {
  const closed = new AbortController()
  socket.on('close', () => closed.abort())
  socket.on('error', () => closed.abort())
  const stopPings = keepAlive(socket, commands.limits.ping)
  const isAllowed = () => mayRun(commands, caller.actor)
  const stopRecheck = watchAccess(isAllowed, () => {
    closed.abort()
    socket.close(1008, 'the session has ended, or the permission was revoked')
  })
  try {
    using _permit = commands.acquirePermit(caller.actor)
    await runFirstMessage(commands, socket, { ...caller, signal: closed.signal })
  } catch (error) {
    const problem = problemOf(error, caller.path.path)
    if (!problem || problem.code === 'disk.failed')
      caller.log.error({ err: error, request: caller.request }, 'a command failed')
    await sendText(socket, (problem ?? new Problem('server.failed')).message)
    socket.close(1000, 'refused')
  } finally {
    stopPings()
    stopRecheck()
  }
}

async function runFirstMessage(
  commands: Commands,
  socket: CommandSocket,
  caller: CommandClient & { signal: AbortSignal },
): Promise<void> {
  const { actor, path, address, request, log, signal } = caller
  const text = await firstMessage(socket, { idle: commands.limits.idle, signal })
  if (signal.aborted) return
  if (text === undefined) return socket.close(1003, 'the first message must be a command as text')
  const onLine = async (words: string) => {
    await sendText(socket, words)
    return !signal.aborted
  }
  const about = await aboutCommand(caller)
  const outcome = await commands.run(actor, path, { text, signal, onLine })
  const entry = {
    user: about.who.userName,
    folder: path.path,
    program: text.trim().split(/\s/)[0],
    end: reason(outcome),
  }
  log.info({ ...entry, address, request }, 'a command ended')
  caller.note({
    ...about,
    outcome: auditOutcome(outcome),
    detail: `${text.trim().slice(0, longestLine)} (${entry.end})`,
  })
  const final = lastMessage(outcome)
  if (final) await sendText(socket, final)
  socket.close(1000, reason(outcome))
}

/** Longer lines are cut in the audit log. */
const longestLine = 2000

/** Who runs a command and where. Asked before it runs: afterwards, the session may have ended. */
async function aboutCommand({ actor, path, address, root }: CommandClient) {
  const { id, username } = actor.user
  const who = { userId: id, userName: username, session: actor.session.id, address }
  const folder = servedPath(root, realForRecord(await actor.jail(), path.path))
  return { kind: 'command', who, paths: [{ path: folder }] } as const
}

function auditOutcome(outcome: CommandResult): AuditEntry['outcome'] {
  if ('refused' in outcome) return 'refused'
  return outcome.code === 0 && !outcome.signal ? 'done' : 'failed'
}

/** Whether the user may still run commands. */
function mayRun(commands: Commands, actor: Actor): boolean {
  try {
    commands.permit(actor)
    return true
  } catch {
    return false
  }
}

function lastMessage(outcome: CommandResult): string | undefined {
  if ('refused' in outcome) return outcome.refused
  if (outcome.stopped === 'output') return 'The command was stopped because it printed too much.'
  if (outcome.stopped === 'time') return 'The command was stopped because it took too long.'
  if (outcome.stopped === 'processes') return 'The command was stopped because it started too many processes.'
  return undefined
}

/** The reason in the close frame, for clients that show it. Other clients see only that the socket is closed. */
function reason(outcome: CommandResult): string {
  if ('refused' in outcome) return 'refused'
  return outcome.signal ? `signal ${outcome.signal}` : `exit ${outcome.code}`
}
