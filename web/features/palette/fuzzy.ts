/** Whether a word starts at this place. */
function isWordStart(text: string, at: number): boolean {
  return at === 0 || !/[\p{L}\p{N}]/u.test(text[at - 1] ?? '')
}

const wordStart = 8
const adjacent = 10

/**
 * How well `text` matches `query`, both folded: undefined if it does not contain all characters in this order. Starts
 * of words and adjacent characters count more, and of equal matches the shorter text.
 */
export function matchScore(query: string, text: string): number | undefined {
  if (!isSubsequence(query, text)) return undefined
  let scores: Scores | undefined
  for (const character of query) scores = nextScores(scores, character, text)
  const best = Math.max(...(scores?.values() ?? []))
  return Number.isFinite(best) ? best - text.length / 100 : undefined
}

/** The best score if the characters so far match and the last of them is at this place. */
type Scores = ReadonlyMap<number, number>

/** Adds one character of the query. `before` is undefined for the first. */
function nextScores(before: Scores | undefined, character: string, text: string): Scores {
  const next = new Map<number, number>()
  let best = before ? Number.NEGATIVE_INFINITY : 0
  for (let at = 0; at < text.length; at++) {
    const last = before?.get(at - 1) ?? Number.NEGATIVE_INFINITY
    best = Math.max(best, last)
    if (!text.startsWith(character, at) || !Number.isFinite(best)) continue
    next.set(at, Math.max(best, last + adjacent) + 1 + (isWordStart(text, at) ? wordStart : 0))
  }
  return next
}

function isSubsequence(query: string, text: string): boolean {
  let from = 0
  for (const character of query) {
    const at = text.indexOf(character, from)
    if (at < 0) return false
    from = at + character.length
  }
  return true
}
