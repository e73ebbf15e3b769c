import { useLingui } from '@lingui/react/macro'
import { type ReactNode, useEffect, useState } from 'react'
import type { Item } from '#contract/resources.ts'
import { readStart } from '#web/api/history/kept.ts'
import { origin } from '#web/api/origin.ts'
import { codeOf, problemText } from '#web/api/problems/problem-text.ts'
import { rawBlob } from '#web/api/raw.ts'
import { textOf } from '#web/shared/kept/text-of.ts'
import styles from './quick-look.module.css'

/** Maximum size of a shown text, in bytes. Of a longer text, the beginning is shown. */
export const maxTextBytes = 200 * 1024

interface TextPreviewProps {
  item: Item
  /** Renders the text; undefined: shows it as it is. */
  render: ((text: string) => ReactNode) | undefined
}

interface Found {
  text?: string | undefined
  isWhole?: boolean
  failure?: string
}

/** The beginning of a text. */
export function TextPreview({ item: { path, name }, render }: TextPreviewProps) {
  const { t, i18n } = useLingui()
  const [found, setFound] = useState<Found>()
  useEffect(() => {
    const controller = new AbortController()
    const { signal } = controller
    read(path, signal).then(
      (found) => signal.aborted || setFound(found),
      (error: unknown) => signal.aborted || setFound({ failure: i18n._(problemText(codeOf(error))) }),
    )
    return () => controller.abort()
  }, [path, i18n])
  if (!found) return <p role="status" className={styles.message}>{t`Loading…`}</p>
  const { text, isWhole, failure } = found
  if (failure)
    return (
      <p role="alert" className={styles.message}>
        {failure}
      </p>
    )
  if (text === undefined) return <p className={styles.message}>{t`There is no preview of this file.`}</p>
  if (text === '') return <p className={styles.message}>{t`This file is empty.`}</p>
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must be able to scroll it.
    <section className={styles.text} tabIndex={0} aria-label={t`Preview of ${name}`}>
      {render ? render(text) : <pre dir="auto">{text}</pre>}
      {!isWhole && <p className={styles.note}>{t`Only the beginning of the text is shown.`}</p>}
    </section>
  )
}

/** A share gives no part of a file, so only short texts of shares get here. */
async function read(path: string, signal: AbortSignal): Promise<Found> {
  if (origin.link) {
    const blob = await rawBlob(path, 'text/plain', signal)
    return { text: textOf(new Uint8Array(await blob.arrayBuffer()), true), isWhole: true }
  }
  const { bytes, isWhole } = await readStart({ path }, maxTextBytes, signal)
  return { text: textOf(bytes, isWhole), isWhole }
}
