import { type Clock, isFuture } from '#src/core/clock.ts'
import { decodeJson, encodeJson, equalsInConstantTime, hmac, randomId } from '#src/core/secret.ts'
import type { ShareRecord } from '#src/state/state.ts'

const unlockedMs = 60 * 60_000

/** A visit of a share, and the ticket with which later requests belong to it. */
export interface Visit {
  id: string
  ticket: string
}

/** Signs what visitors send again: that they have unlocked a share, and to which visit their requests belong. */
export function createTickets(clock: Clock, key: () => Buffer) {
  function ticketOf(
    { hash, password: passwordHash }: ShareRecord,
    { until, session }: { until: number; session?: string | undefined },
  ): string {
    const body = encodeJson({ hash, until, ...(session && { session }) })
    // The signature includes the password's hash, so a token is invalid after a change of the password.
    return `${body}.${hmac(`share.${body}.${passwordHash}`, key())}`
  }

  /** What a ticket says that unlocks the share now. Undefined for any other text. */
  function read(share: ShareRecord, text: string): { session?: string | undefined } | undefined {
    const { until, session } = (decodeJson(text.split('.')[0] ?? '') ?? {}) as {
      until?: unknown
      session?: string
    }
    if (typeof until !== 'number' || until <= clock() || isFuture(until - unlockedMs, clock()))
      return undefined
    return equalsInConstantTime(text, ticketOf(share, { until, session })) ? { session } : undefined
  }

  return {
    read,

    /**
     * A ticket that unlocks the share for an hour.
     *
     * @param session the session of the named person who visits it
     */
    unlocking: (share: ShareRecord, session?: string) =>
      ticketOf(share, { until: clock() + unlockedMs, session }),

    /** The visit of a ticket, or a new one. */
    visitOf({ hash }: ShareRecord, ticket = ''): Visit {
      const signed = (id: string) => `${id}.${hmac(`visit.${hash}.${id}`, key())}`
      const [known = ''] = ticket.split('.')
      const id = known && equalsInConstantTime(ticket, signed(known)) ? known : randomId()
      return { id, ticket: signed(id) }
    },
  }
}

export type Tickets = ReturnType<typeof createTickets>
