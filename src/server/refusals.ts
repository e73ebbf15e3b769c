import type { FastifyRequest } from 'fastify'
import { plainAddress } from '#src/core/network.ts'
import type { Problem } from '#src/core/problem.ts'
import type { Attempt } from './request-log.ts'

/**
 * Records a refused request in the audit log, and a refused password. Many equal ones become one record.
 *
 * @param attempt the refused password, see `logRefusedPassword`
 */
export async function recordRefusal(
  request: FastifyRequest,
  problem: Problem,
  attempt: Attempt | undefined,
): Promise<void> {
  if (!attempt && (problem.status !== 403 || request.isRecorded)) return
  const { audit, users } = request.server.services
  // A name without an account is not recorded: it may be a password that was typed into the wrong field.
  const user = await users.findByName(attempt?.user ?? request.username ?? '')
  // The address of the route, because that of the request may contain a token.
  const detail = `${problem.code} ${request.method} ${request.routeOptions.url ?? ''}`
  audit.noteRepeated({
    ...(attempt
      ? { kind: attempt.kind, outcome: 'failed', detail: problem.code }
      : { kind: 'refusal', outcome: 'refused', detail }),
    who: {
      userId: user?.id ?? null,
      userName: user?.username ?? '',
      session: null,
      address: plainAddress(request.ip),
    },
  })
}
