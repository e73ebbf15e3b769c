import { useLingui } from '@lingui/react/macro'
import { useEffect, useState } from 'react'
import type { ResourceType } from '#contract/schema/resource-path.ts'
import { type ContentSource, contentAddress, readStart } from '#web/api/history/kept.ts'
import { problemMessage } from '#web/api/problems/problem-text.ts'
import styles from './kept-content.module.css'
import { textOf } from './text-of.ts'

/** Maximum size of a shown text, in bytes. The rest of a longer text is not shown. */
const maxTextBytes = 256 * 1024

interface KeptContentProps {
  source: ContentSource
  name: string
  type: ResourceType
}

/** Types that the page shows neither as a picture nor as text. */
const opaque: readonly ResourceType[] = ['audio', 'video', 'pdf', 'invalid_link']

/** A picture or the start of a text. For other files, a sentence. */
export function KeptContent({ source, name, type }: KeptContentProps) {
  const { t } = useLingui()
  if (type === 'image') return <KeptPicture source={source} name={name} />
  if (opaque.includes(type)) return <p className={styles.note}>{t`There is no preview of this file.`}</p>
  return <KeptText source={source} name={name} />
}

type PartProps = Omit<KeptContentProps, 'type'>

/** A picture, not larger than the room for it. */
export function KeptPicture({ source, name }: PartProps) {
  const { t } = useLingui()
  const key = JSON.stringify(source)
  const [result, setResult] = useState<{ key: string; address?: string; failure?: string }>()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key stands for the source.
  useEffect(() => {
    let isCancelled = false
    contentAddress(source, true).then(
      (address) => isCancelled || setResult({ key, address }),
      (error: unknown) => isCancelled || setResult({ key, failure: problemMessage(error) }),
    )
    return () => {
      isCancelled = true
    }
  }, [key])
  const { address, failure } = result?.key === key ? result : {}
  if (failure) return <p role="alert">{failure}</p>
  return (
    <div className={styles.picture}>
      {address && (
        <img
          src={address}
          alt={name}
          onError={() => setResult({ key, failure: t`This image can't be shown.` })}
        />
      )}
    </div>
  )
}

function KeptText({ source, name }: PartProps) {
  const { t } = useLingui()
  const key = JSON.stringify(source)
  const [result, setResult] = useState<{
    key: string
    text?: string | undefined
    failure?: string
    isWhole: boolean
  }>()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key stands for the source.
  useEffect(() => {
    const controller = new AbortController()
    readStart(source, maxTextBytes, controller.signal).then(
      ({ bytes, isWhole }) => setResult({ key, text: textOf(bytes, isWhole), isWhole }),
      (error: unknown) =>
        controller.signal.aborted || setResult({ key, failure: problemMessage(error), isWhole: true }),
    )
    return () => controller.abort()
  }, [key])
  if (result?.key !== key) return <p role="status" className={styles.note}>{t`Loading…`}</p>
  const { text, failure, isWhole } = result
  if (failure) return <p role="alert">{failure}</p>
  if (text === undefined) return <p className={styles.note}>{t`There is no preview of this file.`}</p>
  if (text === '') return <p className={styles.note}>{t`This file is empty.`}</p>
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must be able to scroll it. */}
      <section className={styles.text} tabIndex={0} aria-label={t`Preview of ${name}`}>
        <pre dir="auto">{text}</pre>
      </section>
      {!isWhole && <p className={styles.note}>{t`Only the beginning of the text is shown.`}</p>}
    </>
  )
}
