import type { FrontMatterChange } from '#contract/publish.ts'
import { Problem } from '#src/core/problem.ts'
import { type ChangedText, changeFrontMatter } from './front-matter.ts'

/** The beginning of a text, and what changes in its front matter. */
export interface FrontMatterTask {
  text: string
  changes: readonly FrontMatterChange[]
}

/** The changed text, or why it cannot be read or changed. */
export type FrontMatterResult = { changed: ChangedText } | { invalid: string }

/** Reads and changes front matter on a thread. A problem would lose its fields when it is posted. */
export function runFrontMatterTask({ text, changes }: FrontMatterTask): { result: FrontMatterResult } {
  try {
    return { result: { changed: changeFrontMatter(text, changes) } }
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return { result: { invalid: String(error.details?.reason) } }
  }
}
