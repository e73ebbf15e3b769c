import { RE2JS, RE2JSSyntaxException } from 're2js'

/** Tries at most this many candidate positions of an error, because each of them compiles a part of the pattern. */
const maxAttempts = 50

/** Returns why `raw` is not an RE2 pattern, and at which character, counted from 1. Undefined when it is one. */
export function patternFault(raw: string): string | undefined {
  const fault = faultOf(raw)
  if (!fault) return undefined
  const at = positionOf(raw, fault)
  const position = at === undefined ? '' : ` at character ${[...raw.slice(0, at)].length + 1}`
  return `is not a valid RE2 pattern: ${fault.reason}${position}`
}

/** The error that RE2 reports: the reason, and the faulty part of the pattern, which is often all of it. */
interface Fault {
  reason: string
  part: string
}

function faultOf(raw: string): Fault | undefined {
  try {
    RE2JS.compile(raw)
    return undefined
  } catch (error) {
    // Any other error also makes the pattern unusable.
    if (!(error instanceof RE2JSSyntaxException)) return { reason: 'it cannot be compiled', part: '' }
    return { reason: error.getDescription(), part: error.getPattern() ?? '' }
  }
}

/** Returns the index of the character where the error is. */
function positionOf(raw: string, { reason, part }: Fault): number | undefined {
  if (reason === 'missing closing )') return openGroup(raw)
  if (reason === 'unexpected )') return firstFault(raw, ')', (found) => found.reason === reason)
  if (reason === 'trailing backslash at end of expression') return raw.length - 1
  if (part === '') return undefined
  return firstFault(raw, part, (found) => found.reason === reason && found.part === part)
}

/**
 * Returns the first position of `part` up to whose end the pattern has the error. Earlier positions of the same text
 * may be valid.
 */
function firstFault(raw: string, part: string, isSame: (fault: Fault) => boolean): number | undefined {
  let at = raw.indexOf(part)
  for (let attempts = 0; at >= 0 && attempts < maxAttempts; attempts++) {
    const found = faultOf(raw.slice(0, at + part.length))
    if (found && isSame(found)) return at
    at = raw.indexOf(part, at + 1)
  }
  return undefined
}

/** Tokens that matter for groups: escapes, quoted text, character classes and parentheses. */
const tokens = /\\Q.*?(?:\\E|$)|\\.|\[\^?\]?(?:\\.|\[:\^?\w+:\]|[^\]\\])*\]|[()]/gs

/** Returns the index of the last `(` that is not closed. */
function openGroup(raw: string): number | undefined {
  const open: number[] = []
  for (const { 0: token, index } of raw.matchAll(tokens)) {
    if (token === '(') open.push(index)
    else if (token === ')') open.pop()
  }
  return open.at(-1)
}
