import { useLingui } from '@lingui/react/macro'
import { FolderSearch } from 'lucide-react'
import { type MouseEvent, useEffect, useState } from 'react'
import type { Hit } from '#web/api/search/search.ts'
import { typeByName } from '#web/shared/lists/type-by-name.ts'
import { nameOf, parentOf } from '#web/shared/paths.ts'
import { FileIcon } from '#web/ui/file-icon.tsx'
import { shownName } from '#web/ui/format/shown-name.ts'
import styles from './search-box.module.css'
import { splitAtMatches } from './search-state.ts'

/** Number of results shown at first and added near the end of the list. */
const step = 50
/** Distance from the end at which more results are added, in pixels. */
const nearEnd = 100

interface SearchResultsProps {
  id: string
  hits: readonly Hit[]
  /** The index of the current result. */
  at: number
  terms: readonly string[]
  onTake(hit: Hit, reveal: boolean): void
}

/** The results, 50 at a time. The search field handles the keys. */
export function SearchResults({ id, hits, at, terms, onTake }: SearchResultsProps) {
  const { t } = useLingui()
  const [limit, setLimit] = useState(step)
  const count = Math.max(limit, at + 1)
  useEffect(() => {
    document.getElementById(`${id}${at}`)?.scrollIntoView({ block: 'nearest' })
  }, [id, at])
  return (
    <div
      id={id}
      role="listbox"
      aria-label={t`Results`}
      className={styles.results}
      tabIndex={-1}
      data-none={hits.length === 0 || undefined}
      onScroll={({ currentTarget: box }) => {
        const remainingPx = box.scrollHeight - box.scrollTop - box.clientHeight
        if (remainingPx < nearEnd && hits.length > count) setLimit(count + step)
      }}
    >
      {hits.slice(0, count).map((hit, n) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the search field handles the keys for all results.
        // biome-ignore lint/a11y/useFocusableInteractive: the field names its current result (aria-activedescendant).
        <div
          key={hit.path}
          id={`${id}${n}`}
          role="option"
          aria-selected={n === at}
          className={styles.hit}
          data-tip={hit.path}
          onClick={(event) => onTake(hit, event.shiftKey || isReveal(event))}
        >
          <FileIcon
            name={nameOf(hit.path)}
            isDir={hit.dir}
            type={hit.dir ? '' : typeByName(hit.path)}
            isSaid
          />
          <bdi>
            <Marked pieces={splitAtMatches(shownName(nameOf(hit.path)), terms)} />
          </bdi>
          <bdi className={styles.place}>{shownName(placeOf(hit.path))}</bdi>
          <span className={styles.reveal} data-reveal data-tip={t`Show in folder`}>
            <FolderSearch size={18} strokeWidth={1.8} aria-hidden />
          </span>
        </div>
      ))}
    </div>
  )
}

/** Where a result is, from the searched folder on; empty if it is in this folder itself. */
function placeOf(path: string): string {
  return parentOf(`/${path}`).slice(1, -1)
}

/** Renders pieces of a name. Every second piece is highlighted. */
function Marked({ pieces }: { pieces: readonly string[] }) {
  return pieces.map((piece, n) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of one name never change their order.
    n % 2 ? <mark key={n}>{piece}</mark> : piece,
  )
}

function isReveal({ target }: MouseEvent): boolean {
  return target instanceof Element && target.closest('[data-reveal]') !== null
}
