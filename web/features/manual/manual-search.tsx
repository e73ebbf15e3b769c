import { Plural, useLingui } from '@lingui/react/macro'
import { type KeyboardEvent, useMemo, useRef } from 'react'
import { PageLink } from '#web/shared/page-link.tsx'
import { navigateTo, paths } from '#web/shared/paths.ts'
import { SearchField } from '#web/ui/fields/search-field.tsx'
import { chapters } from './chapters.ts'
import styles from './manual.module.css'
import { type Result, searchManual } from './search-manual.ts'

interface ManualSearchProps {
  query: string
  onChange(query: string): void
}

/** The search in all chapters, with the matching line of each section. Arrow keys move through the results. */
export function ManualSearch({ query, onChange }: ManualSearchProps) {
  const { t } = useLingui()
  const results = useMemo(() => searchManual(chapters, query), [query])
  const box = useRef<HTMLElement>(null)
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape' && query) {
      event.preventDefault()
      onChange('')
      box.current?.querySelector('input')?.focus()
    } else if (moveFocus(event)) event.preventDefault()
  }
  const count = results.length
  return (
    <search ref={box} onKeyDown={onKeyDown}>
      <SearchField
        label={t`Search in the manual`}
        placeholder={t`Search`}
        value={query}
        maxLength={256}
        onChange={onChange}
        onKeyDown={({ key, nativeEvent }) => {
          const [first] = results
          if (key === 'Enter' && !nativeEvent.isComposing && first) navigateTo(pageOf(first))
        }}
      />
      <p role="status">
        {query.trim() &&
          (count > 0 ? <Plural value={count} one="# result" other="# results" /> : t`Nothing found`)}
      </p>
      {count > 0 && (
        <ol className={styles.results}>
          {results.map((result) => (
            <li key={pageOf(result)}>
              <ResultLink {...result} />
            </li>
          ))}
        </ol>
      )}
    </search>
  )
}

/** Moves the focus between the field and the results. Returns whether the key is for that. */
function moveFocus({ key, currentTarget, target }: KeyboardEvent): boolean {
  if (key !== 'ArrowDown' && key !== 'ArrowUp') return false
  const by = key === 'ArrowDown' ? 1 : -1
  const stops = [...currentTarget.querySelectorAll<HTMLElement>('input, li a')]
  const at = stops.indexOf(target as HTMLElement)
  if (at >= 0) stops[at + by]?.focus()
  return at >= 0
}

function ResultLink(result: Result) {
  const { chapter, heading, line } = result
  return (
    <PageLink to={pageOf(result)} lang="en" dir="ltr">
      <strong>{heading || chapter.title}</strong>
      {heading && <small>{chapter.title}</small>}
      <span>
        {line.map(({ text, isHit }, at) => {
          const Piece = isHit ? 'mark' : 'span'
          // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a line have no other key.
          return <Piece key={at}>{text}</Piece>
        })}
      </span>
    </PageLink>
  )
}

function pageOf({ chapter, id }: Result): string {
  return paths.chapter(chapter.id) + (id && `#${id}`)
}
