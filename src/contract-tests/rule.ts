import { equal, match, ok, partialDeepStrictEqual } from 'node:assert/strict'
import { STATUS_CODES } from 'node:http'
import type { Reply } from './client.ts'
import type { Place } from './place.ts'

/** A rule of the contract, and a check that it holds. */
export interface Rule {
  /** The sections of `contract/README.md` or `contract/compatibility.md` that it comes from. */
  of: string
  says: string
  holds(place: Place): Promise<void>
}

/** Returns a function that makes the rules of these sections: each of its text and its check. */
export function rulesOf(of: string) {
  return (says: string, holds: Rule['holds']): Rule => ({ of, says, holds })
}

/** Asserts that the response has this status. Other assertions check the body. */
export function answers(reply: Reply, status: number): void {
  equal(reply.status, status, `status ${reply.status}: ${reply.text.slice(0, 200)}`)
}

/**
 * Asserts a refusal in plain text: `<code> <reason phrase>`, the cause in parentheses, a newline
 * (contract/README.md#errors).
 */
export function refuses(reply: Reply, status: number): void {
  answers(reply, status)
  match(reply.headers['content-type'] ?? '', /^text\/plain/)
  ok(
    new RegExp(`^${status} ${STATUS_CODES[status]}( \\([^\\n]+\\))?\\n$`).test(reply.text),
    `not a plain text refusal: ${reply.text}`,
  )
}

/** Asserts a success without data: `200 OK` and a newline (contract/README.md#errors). */
export function isDone(reply: Reply): void {
  answers(reply, 200)
  equal(reply.text, '200 OK\n')
}

/** Asserts that the response is JSON and contains at least the expected properties. */
export function tells(reply: Reply, expected: unknown): void {
  answers(reply, 200)
  match(reply.headers['content-type'] ?? '', /^application\/json/)
  partialDeepStrictEqual(reply.json(), expected)
}
