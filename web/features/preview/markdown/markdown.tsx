import { useLingui } from '@lingui/react/macro'
import { lexer, type Token } from 'marked'
import { useEffect, useMemo } from 'react'
import styles from './markdown.module.css'
import { BlockTokens } from './markdown-blocks.tsx'
import type { OwnText } from './markdown-place.ts'

interface MarkdownProps {
  text: string
  /**
   * The folder of the text, decoded, with a closing slash. Relative links and pictures are resolved against it.
   * Undefined when no other file can be reached.
   */
  folder: string | undefined
  /** Undefined for the text of a file. */
  own?: OwnText
  /** Called when the text is in the page. */
  onShown?(): void
}

/** Maximum size of a text that is rendered while the user types, in characters. */
const maxCharacters = 512 * 1024

/**
 * Renders Markdown. All elements are React elements from the parsed tokens. HTML in the text never reaches the
 * browser's parser, so it cannot run. `react-markdown` with `remark-gfm` needs 52.8 kB compressed instead of 16.8 kB,
 * and parses a text of 512 KiB 12 to 20 times slower.
 */
export function Markdown({ text, folder, own, onShown }: MarkdownProps) {
  const { t } = useLingui()
  const tokens = useMemo(() => parse(text), [text])
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a new text is shown anew.
  useEffect(() => onShown?.(), [tokens])
  if (!tokens) return <p role="alert">{t`This text is too large or too deeply nested for a preview.`}</p>
  return (
    <div className={styles.markdown} dir="auto">
      <BlockTokens tokens={tokens} folder={folder} own={own} depth={0} />
    </div>
  )
}

function parse(text: string): Token[] | undefined {
  if (text.length > maxCharacters) return undefined
  try {
    return lexer(text)
  } catch {
    // The parser is recursive. Thousands of levels overflow the stack.
    return undefined
  }
}
