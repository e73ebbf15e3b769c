import { useLingui } from '@lingui/react/macro'
import { lexer, type Token } from 'marked'
import { useMemo } from 'react'
import styles from './markdown.module.css'
import { Blocks } from './markdown-blocks.tsx'

interface MarkdownProps {
  text: string
  /** The folder the text lies in, decoded, with a closing slash: its pictures and links start there. Undefined: no other file can be reached. */
  folder: string | undefined
}

/** Above this size a text is not rendered while one types. In characters. */
const mostText = 512 * 1024

/**
 * Markdown as it is meant to be read. Every element is one of ours, made of the parsed text: HTML in it is never handed
 * to the browser, so that it can do nothing.
 */
export function Markdown({ text, folder }: MarkdownProps) {
  const { t } = useLingui()
  const tokens = useMemo(() => parse(text), [text])
  if (!tokens) return <p role="alert">{t`This text is too large or too deeply nested for a preview.`}</p>
  return (
    <div className={styles.markdown} dir="auto">
      <Blocks tokens={tokens} folder={folder} depth={0} />
    </div>
  )
}

function parse(text: string): Token[] | undefined {
  if (text.length > mostText) return undefined
  try {
    return lexer(text)
  } catch {
    // The parser calls itself for every level: thousands of them are too many for it.
    return undefined
  }
}
