import { useLingui } from '@lingui/react/macro'
import { type ComponentType, useMemo, useRef, useState } from 'react'
import { PageLink } from '#web/shared/page-link.tsx'
import { paths } from '#web/shared/paths.ts'
import { type Chapter, chapters, contents, idOf, pageOfLink } from './chapters.ts'
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
  /** Renders Markdown. */
  Markdown: ComponentType<TextProps>
}

/** The manual: a search field, the list of chapters, and one chapter or what each chapter is for. */
export function ManualPage({ chapter, Markdown }: ManualPageProps) {
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
        {!query.trim() && <ChapterList key={chapter?.id} chapter={chapter} />}
      </div>
      <div className={styles.text}>
        {!i18n.locale.startsWith('en') && <p>{t`The manual is in English.`}</p>}
        <article ref={article} lang="en" dir="ltr" tabIndex={-1}>
          <Markdown
            key={chapter?.id}
            text={chapter?.text ?? contents}
            folder={undefined}
            own={own}
            onShown={onShown}
          />
        </article>
      </div>
    </div>
  )
}

/** Where the list is beside the text, as in the styles. */
const wide = '(width > 64rem)'

/** The titles of all chapters. Above the text, they are folded until the user opens them. */
function ChapterList({ chapter }: Pick<ManualPageProps, 'chapter'>) {
  const { t } = useLingui()
  return (
    <details open={matchMedia(wide).matches}>
      <summary>{t`Chapters`}</summary>
      <nav aria-label={t`Chapters`}>
        <ol>
          {chapters.map(({ id, title }) => (
            <li key={id}>
              <PageLink
                to={paths.chapter(id)}
                lang="en"
                aria-current={id === chapter?.id ? 'page' : undefined}
              >
                {title}
              </PageLink>
            </li>
          ))}
        </ol>
      </nav>
    </details>
  )
}
