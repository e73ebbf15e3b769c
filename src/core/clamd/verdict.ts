/** What the scanner says about a content. Only `clean` is a content that has passed. */
export type Verdict =
  | { kind: 'clean' }
  | { kind: 'infected'; signature: string }
  /** The scanner has a limit that excludes this content. Asking again does not help. */
  | { kind: 'unscannable'; reason: string }
  /** The scanner cannot be reached, is silent, or has answered something else. */
  | {
      kind: 'away'
      reason: string
      isSilent: boolean
      /** Whether it has closed the connection while it received the content, as it does beyond its size limit. */
      isBroken: boolean
    }

/** Why there is no answer. */
export interface Fault {
  fault: string
  isSilent: boolean
  isBroken: boolean
}

/** The end of a conversation with a scanner. */
export type Answer = { text: string; hasEnded: boolean } | Fault

const mostTextLength = 200

// clamd reports a content beyond its limits (`AlertExceedsMax`), and an encrypted one (`AlertEncrypted`), as a finding.
const limitSignatures = /^Heuristics\.(Limits\.Exceeded|Encrypted)\b/

/** Reads an answer to a content. */
export function verdictOf(answer: Answer): Verdict {
  if ('fault' in answer) {
    const { fault: reason, isSilent, isBroken } = answer
    return { kind: 'away', reason, isSilent, isBroken }
  }
  const { text, hasEnded } = answer
  // Exactly this, and nothing behind it.
  if (text === 'stream: OK\0' && hasEnded) return { kind: 'clean' }
  const [, signature] = /^stream: ([^\0]+) FOUND\0$/.exec(text) ?? []
  if (signature !== undefined) {
    const name = shown(signature)
    return limitSignatures.test(name)
      ? { kind: 'unscannable', reason: name }
      : { kind: 'infected', signature: name }
  }
  if (/^INSTREAM size limit exceeded\. ERROR\0?$/.test(text))
    return { kind: 'unscannable', reason: 'it is larger than the scanner accepts (StreamMaxLength)' }
  return { kind: 'away', reason: `the scanner answered: ${shown(text)}`, isSilent: false, isBroken: false }
}

/** The beginning of an answer, as printable text. */
export function shown(text: string): string {
  return text
    .replace(/\0$/, '')
    .replace(/[^\x20-\x7e]/g, '?')
    .slice(0, mostTextLength)
    .trim()
}
