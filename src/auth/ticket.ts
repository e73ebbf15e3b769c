import type { TicketAction } from '#contract/schema/endpoint.ts'
import { isFuture } from '#src/core/clock.ts'
import { decodeJson, encodeJson, equalsInConstantTime, hmac } from '#src/core/secret.ts'

/** Permits one action on one path on behalf of one session, until `until` (contract/README.md#sessions). */
export interface Ticket {
  action: TicketAction
  path: string
  sid: string
  /** Milliseconds since 1970. */
  until: number
}

/** How long a ticket can start an action, in milliseconds. A running response continues after that. */
export const ticketLifeMs = 60_000

/** Signs a ticket. It has two parts, so that it cannot be confused with a token. */
export function signTicket(ticket: Ticket, key: Buffer): string {
  const body = encodeJson(ticket)
  return `${body}.${hmac(`ticket.${body}`, key)}`
}

/** Returns the ticket if its signature is valid and it has not expired; otherwise undefined. */
export function verifyTicket(text: string, key: Buffer, nowMs: number): Ticket | undefined {
  const [body, mac, more] = text.split('.')
  if (!body || !mac || more !== undefined) return undefined
  if (!equalsInConstantTime(mac, hmac(`ticket.${body}`, key))) return undefined
  const ticket = decodeJson(body) as Ticket
  const isValid = ticket.until > nowMs && !isFuture(ticket.until - ticketLifeMs, nowMs)
  return isValid ? ticket : undefined
}
