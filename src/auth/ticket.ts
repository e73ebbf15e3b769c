import type { TicketAction } from '#contract/endpoint.ts'
import { isFuture } from '#src/core/clock.ts'
import { decodeJson, encodeJson, sameText, signature } from '#src/core/secret.ts'

/** One action on one path in the name of one session, until a moment (contract/README.md#sessions). */
export interface Ticket {
  action: TicketAction
  path: string
  sid: string
  /** Milliseconds since 1970. */
  until: number
}

/** How long a ticket may be presented, in milliseconds; what it started goes on. */
export const ticketLifeMs = 60_000

/** Signs a ticket: two parts, so that it is never taken for a token. */
export function signTicket(ticket: Ticket, key: Buffer): string {
  const body = encodeJson(ticket)
  return `${body}.${signature(`ticket.${body}`, key)}`
}

/** A ticket that we signed and that may still be presented; undefined for anything else. */
export function readTicket(text: string, key: Buffer, nowMs: number): Ticket | undefined {
  const [body, sign, more] = text.split('.')
  if (!body || !sign || more !== undefined) return undefined
  if (!sameText(sign, signature(`ticket.${body}`, key))) return undefined
  const ticket = decodeJson(body) as Ticket
  const isGood = ticket.until > nowMs && !isFuture(ticket.until - ticketLifeMs, nowMs)
  return isGood ? ticket : undefined
}
