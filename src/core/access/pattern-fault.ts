import { RE2JS, RE2JSSyntaxException } from 're2js'

/** A fault is looked for at this many places of a pattern at most: each look compiles a part of it. */
const mostLooks = 50

/** Why `raw` is no RE2 pattern, and at which character of it, counted from 1; undefined when it is one. */
export function patternFault(raw: string): string | undefined {
  const fault = faultOf(raw)
  if (!fault) return undefined
  const at = placeOf(raw, fault)
  const place = at === undefined ? '' : ` at character ${[...raw.slice(0, at)].length + 1}`
  return `is not an RE2 pattern: ${fault.reason}${place}`
}

/** What RE2 says: why, and which part of the pattern it means; the part is often all of it. */
interface Fault {
  reason: string
  part: string
}

function faultOf(raw: string): Fault | undefined {
  try {
    RE2JS.compile(raw)
    return undefined
  } catch (error) {
    // Whatever else goes wrong, it is a pattern that no rule can use.
    if (!(error instanceof RE2JSSyntaxException)) return { reason: 'it cannot be compiled', part: '' }
    return { reason: error.getDescription(), part: error.getPattern() ?? '' }
  }
}

/** The index of the character where the fault is. */
function placeOf(raw: string, { reason, part }: Fault): number | undefined {
  if (reason === 'missing closing )') return openGroup(raw)
  if (reason === 'unexpected )') return firstFault(raw, ')', (found) => found.reason === reason)
  if (reason === 'trailing backslash at end of expression') return raw.length - 1
  if (part === '') return undefined
  return firstFault(raw, part, (found) => found.reason === reason && found.part === part)
}

/** The first place of `part` up to whose end the pattern has the fault already. The same text may stand earlier, rightly. */
function firstFault(raw: string, part: string, isIt: (fault: Fault) => boolean): number | undefined {
  let at = raw.indexOf(part)
  for (let looks = 0; at >= 0 && looks < mostLooks; looks++) {
    const found = faultOf(raw.slice(0, at + part.length))
    if (found && isIt(found)) return at
    at = raw.indexOf(part, at + 1)
  }
  return undefined
}

/** What has a meaning of its own for groups: an escape, quoted text, a class of characters, and the brackets. */
const tokens = /\\Q.*?(?:\\E|$)|\\.|\[\^?\]?(?:\\.|\[:\^?\w+:\]|[^\]\\])*\]|[()]/gs

/** The index of the last `(` that nothing closes. */
function openGroup(raw: string): number | undefined {
  const open: number[] = []
  for (const { 0: token, index } of raw.matchAll(tokens)) {
    if (token === '(') open.push(index)
    else if (token === ')') open.pop()
  }
  return open.at(-1)
}
