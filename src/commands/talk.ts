import type { FastifyRequest } from 'fastify'
import type { Actor } from '#src/auth/actor.ts'
import { Problem } from '#src/core/problem.ts'
import { resourcePath } from '#src/http/resource-path.ts'
import type { Commands, Outcome } from './commands.ts'
import { firstText, keepAlive, type Line, say } from './line.ts'

// Rights that are taken away and sessions that end take a running command with them within this time, in milliseconds.
const lookAgainMs = 500

/** Runs the one command that a client names on its line, tells what it prints, and closes the line (reference 9.1). */
export async function talk(commands: Commands, line: Line, request: FastifyRequest): Promise<void> {
  const gone = new AbortController()
  line.on('close', () => gone.abort())
  line.on('error', () => gone.abort())
  const stopBeat = keepAlive(line)
  const stopWatch = watch(commands, request.actor(), () => {
    gone.abort()
    line.close(1008, 'the session has ended, or the right was taken away')
  })
  let leave = () => {}
  try {
    leave = commands.enter(request.actor())
    await converse(commands, line, { request, signal: gone.signal })
  } catch (error) {
    if (!(error instanceof Problem)) request.log.error({ err: error }, 'a command failed')
    await say(line, (error instanceof Problem ? error : new Problem('server.failed')).message)
    line.close(1000, 'refused')
  } finally {
    leave()
    stopBeat()
    stopWatch()
  }
}

async function converse(
  commands: Commands,
  line: Line,
  { request, signal }: { request: FastifyRequest; signal: AbortSignal },
): Promise<void> {
  const text = await firstText(line, { idle: commands.limits.idle, signal })
  if (signal.aborted) return
  if (text === undefined) return line.close(1003, 'no command was sent as text')
  const path = resourcePath(request)
  const hear = async (words: string) => {
    await say(line, words)
    return !signal.aborted
  }
  const actor = request.actor()
  const { username } = actor.user
  const outcome = await commands.run(actor, path, { text, signal, hear })
  const told = {
    user: username,
    folder: path.path,
    program: text.trim().split(/\s/)[0],
    end: reason(outcome),
  }
  request.log.info({ ...told, address: request.ip, request: request.id }, 'a command ended')
  const last = lastWords(outcome)
  if (last) await say(line, last)
  line.close(1000, reason(outcome))
}

/** Calls `lost` when somebody may no longer run commands. Answers how to stop looking. */
function watch(commands: Commands, actor: Actor, lost: () => void): () => void {
  const timer = setInterval(() => {
    try {
      commands.permit(actor)
    } catch {
      clearInterval(timer)
      lost()
    }
  }, lookAgainMs)
  return () => clearInterval(timer)
}

function lastWords(outcome: Outcome): string | undefined {
  if ('refused' in outcome) return outcome.refused
  if (outcome.stopped === 'output') return 'The command was ended: it printed too much.'
  if (outcome.stopped === 'time') return 'The command was ended: it took too long.'
  return undefined
}

/** For clients that want to know; others see only that the line is closed. */
function reason(outcome: Outcome): string {
  if ('refused' in outcome) return 'refused'
  return outcome.signal ? `signal ${outcome.signal}` : `exit ${outcome.code}`
}
