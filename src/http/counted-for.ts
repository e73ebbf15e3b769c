import type { FastifyRequest } from 'fastify'
import type { Person } from '#src/auth/actor.ts'
import { networkOf } from '#src/core/network.ts'

/**
 * Whom the work for a request is counted for: the user, or the network of somebody who opened a link. Visitors are in
 * nobody's way but their own, least of all in that of whoever shared it.
 */
export function countedFor({ ip }: FastifyRequest, person: Person): string {
  return isVisitor(person) ? `network ${networkOf(ip ?? '')}` : `user ${person.user.id}`
}

/** Whether somebody opened a link, signed in or not. */
export function isVisitor(person: Person): boolean {
  return !('session' in person)
}
