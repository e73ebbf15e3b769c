import type { Token } from 'marked'

export interface TokensProps {
  tokens: readonly Token[]
  /** The folder the text lies in, decoded, with a closing slash. */
  folder: string | undefined
  /** How deep it is nested. */
  depth: number
}

/** What is nested deeper than this is shown as it is written. */
export const deepest = 40
