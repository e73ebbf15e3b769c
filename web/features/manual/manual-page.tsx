import { useLingui } from '@lingui/react/macro'
import { type ComponentType, useEffect, useMemo, useRef, useState } from 'react'
import { PageLink } from '#web/shared/page-link.tsx'
import { paths } from '#web/shared/paths.ts'
import { type Chapter, chapters, idOf, pageOfLink } from './chapters.ts'
import styles from './manual.module.css'
import { ManualSearch } from './manual-search.tsx'
import { useReveal } from './reveal.ts'

interface TextProps {
  text: string
  folder: undefined
  own: { pageOf(written: string): string | undefined; idOf(heading: string): string }
  onShown(): void
}

interface ManualPageProps {
  /** Undefined: the list of all chapters. */
  chapter: Chapter | undefined
  /** The list of chapters is beside the text, not above it. */
  isWide: boolean
  /** Renders Markdown. */
  Markdown: ComponentType<TextProps>
}

/** The manual: a search field, the list of chapters, and one chapter or what each chapter is for. */
export function ManualPage({ chapter, isWide, Markdown }: ManualPageProps) {
  const { t, i18n } = useLingui()
  const [query, setQuery] = useState('')
  const article = useRef<HTMLElement>(null)
  const onShown = useReveal(article, chapter)
  const own = useMemo(
    () => ({ pageOf: (written: string) => pageOfLink(written, chapter?.id ?? ''), idOf }),
    [chapter],
  )
  return (
    <div className={styles.page} data-part="manual">
      <div className={styles.side}>
        <h1>
          <PageLink to={paths.manual}>{t`Manual`}</PageLink>
        </h1>
        <ManualSearch query={query} onChange={setQuery} />
        {!query.trim() && (isWide || chapter) && <ChapterList chapter={chapter} isWide={isWide} />}
      </div>
      <div className={styles.scroller}>
        {!i18n.locale.startsWith('en') && <p className={styles.note}>{t`The manual is in English.`}</p>}
        <article ref={article} lang="en" dir="ltr" tabIndex={-1}>
          {chapter ? (
            <Markdown key={chapter.id} text={chapter.text} folder={undefined} own={own} onShown={onShown} />
          ) : (
            <Contents onShown={onShown} />
          )}
        </article>
      </div>
    </div>
  )
}

/** The titles of all chapters. Above the text, they are folded until the user opens them. */
function ChapterList({ chapter, isWide }: Pick<ManualPageProps, 'chapter' | 'isWide'>) {
  const { t } = useLingui()
  const list = (
    <nav className={styles.list} aria-label={t`Chapters`}>
      <ol>
        {chapters.map(({ id, title }) => (
          <li key={id}>
            <PageLink to={paths.chapter(id)} lang="en" aria-current={id === chapter?.id ? 'page' : undefined}>
              <bdi>{title}</bdi>
            </PageLink>
          </li>
        ))}
      </ol>
    </nav>
  )
  if (isWide) return list
  return (
    // Another chapter closes it.
    <details key={chapter?.id} className={styles.fold}>
      <summary>{t`Chapters`}</summary>
      {list}
    </details>
  )
}

/** What each chapter is for. */
function Contents({ onShown }: Pick<TextProps, 'onShown'>) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when it appears.
  useEffect(onShown, [])
  return (
    <div className={styles.contents}>
      {chapters.map(({ id, title, summary }) => (
        <section key={id}>
          <h2>
            <PageLink to={paths.chapter(id)}>{title}</PageLink>
          </h2>
          <p>{summary}</p>
        </section>
      ))}
    </div>
  )
}
