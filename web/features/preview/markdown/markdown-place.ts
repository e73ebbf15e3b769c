import type { Token } from 'marked'

export interface TokensProps {
  tokens: readonly Token[]
  /** The folder of the text, decoded, with a closing slash. */
  folder: string | undefined
  /** The nesting depth. */
  depth: number
}

/** Maximum nesting depth. Deeper tokens are shown as source text. */
export const maxDepth = 40
