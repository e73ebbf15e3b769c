import type { Actor } from '#src/auth/actor.ts'
import { problemOf } from '#src/core/errno.ts'
import type { Logger } from '#src/core/log.ts'
import { Problem } from '#src/core/problem.ts'
import type { TypedPath } from '#src/files/paths/user-path.ts'
import { watchAccess } from '#src/http/limits/revocation.ts'
import type { Commands, Outcome } from './commands.ts'
import { type CommandSocket, firstMessage, keepAlive, sendText } from './socket.ts'

/** Who is at the other end of a line, and where their command runs. */
export interface Caller {
  actor: Actor
  path: TypedPath
  address: string
  log: Pick<Logger, 'info' | 'error'>
}

/** Runs the one command that a client names on its line, tells what it prints, and closes the line (contract/compatibility.md#shell). */
export async function runOverSocket(commands: Commands, line: CommandSocket, caller: Caller): Promise<void> {
  const gone = new AbortController()
  line.on('close', () => gone.abort())
  line.on('error', () => gone.abort())
  const stopBeat = keepAlive(line)
  const isAllowed = () => mayRun(commands, caller.actor)
  const stopWatch = watchAccess(isAllowed, () => {
    gone.abort()
    line.close(1008, 'the session has ended, or the right was taken away')
  })
  try {
    using _place = commands.enter(caller.actor)
    await converse(commands, line, { ...caller, signal: gone.signal })
  } catch (error) {
    const problem = problemOf(error, caller.path.path)
    if (!problem || problem.code === 'disk.failed') caller.log.error({ err: error }, 'a command failed')
    await sendText(line, (problem ?? new Problem('server.failed')).message)
    line.close(1000, 'refused')
  } finally {
    stopBeat()
    stopWatch()
  }
}

async function converse(
  commands: Commands,
  line: CommandSocket,
  { actor, path, address, log, signal }: Caller & { signal: AbortSignal },
): Promise<void> {
  const text = await firstMessage(line, { idle: commands.limits.idle, signal })
  if (signal.aborted) return
  if (text === undefined) return line.close(1003, 'no command was sent as text')
  const hear = async (words: string) => {
    await sendText(line, words)
    return !signal.aborted
  }
  const { username } = actor.user
  const outcome = await commands.run(actor, path, { text, signal, hear })
  const told = {
    user: username,
    folder: path.path,
    program: text.trim().split(/\s/)[0],
    end: reason(outcome),
  }
  log.info({ ...told, address }, 'a command ended')
  const last = lastWords(outcome)
  if (last) await sendText(line, last)
  line.close(1000, reason(outcome))
}

/** Whether `actor` may still run commands. */
function mayRun(commands: Commands, actor: Actor): boolean {
  try {
    commands.permit(actor)
    return true
  } catch {
    return false
  }
}

function lastWords(outcome: Outcome): string | undefined {
  if ('refused' in outcome) return outcome.refused
  if (outcome.stopped === 'output') return 'The command was ended: it printed too much.'
  if (outcome.stopped === 'time') return 'The command was ended: it took too long.'
  if (outcome.stopped === 'processes') return 'The command was ended: it started too many processes.'
  return undefined
}

/** For clients that want to know; others see only that the line is closed. */
function reason(outcome: Outcome): string {
  if ('refused' in outcome) return 'refused'
  return outcome.signal ? `signal ${outcome.signal}` : `exit ${outcome.code}`
}
