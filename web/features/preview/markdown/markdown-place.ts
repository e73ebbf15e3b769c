import type { Token } from 'marked'

/** A text of Coffer itself instead of one in a file: its links lead to other pages, and its headings can be linked. */
export interface OwnText {
  /** The page that a link leads to, without the base path; undefined for all other links. */
  pageOf(written: string): string | undefined
  /** The id of a heading. */
  idOf(heading: string): string
}

export interface TokensProps {
  tokens: readonly Token[]
  /** The folder of the text, decoded, with a closing slash. */
  folder: string | undefined
  own?: OwnText | undefined
  /** The nesting depth. */
  depth: number
}

/** Maximum nesting depth. Deeper tokens are shown as source text. */
export const maxDepth = 40
