import { equal, match, ok, partialDeepStrictEqual } from 'node:assert/strict'
import { STATUS_CODES } from 'node:http'
import type { Reply } from './client.ts'
import type { Place } from './place.ts'

/** One thing that the contract promises, and how to see whether it holds. */
export interface Rule {
  /** The section of `contract/README.md` or `contract/compatibility.md` that it comes from. */
  of: string
  says: string
  holds(place: Place): Promise<void>
}

/** A rule: where it comes from, what it promises, and how that is checked. */
export function rule(of: string, says: string, holds: Rule['holds']): Rule {
  return { of, says, holds }
}

/** The answer has this status; its body is told otherwise. */
export function answers(reply: Reply, status: number): void {
  equal(reply.status, status, `answers ${reply.status}: ${reply.text.slice(0, 200)}`)
}

/** A refusal in the plain form: `<code> <reason phrase>`, the cause in parentheses, a newline (contract/README.md#errors). */
export function refuses(reply: Reply, status: number): void {
  answers(reply, status)
  match(reply.headers['content-type'] ?? '', /^text\/plain/)
  ok(
    new RegExp(`^${status} ${STATUS_CODES[status]}( \\([^\\n]+\\))?\\n$`).test(reply.text),
    `not the plain form: ${reply.text}`,
  )
}

/** A success that has nothing to say: `200 OK` and a newline (contract/README.md#errors). */
export function isDone(reply: Reply): void {
  answers(reply, 200)
  equal(reply.text, '200 OK\n')
}

/** The answer is JSON and has at least what is expected. */
export function tells(reply: Reply, expected: unknown): void {
  answers(reply, 200)
  match(reply.headers['content-type'] ?? '', /^application\/json/)
  partialDeepStrictEqual(reply.json(), expected)
}
