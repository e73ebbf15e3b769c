import { useLingui } from '@lingui/react/macro'
import { type KeyboardEvent, useEffect, useId, useState } from 'react'
import { useSnapshot } from 'valtio'
import { origin } from '#web/api/origin.ts'
import { type Hit, searchTerms } from '#web/api/search/search.ts'
import type { AskProps } from '#web/overlays/ask.ts'
import { nameOf } from '#web/shared/paths.ts'
import { Button } from '#web/ui/button.tsx'
import { Dialog, DialogButtons } from '#web/ui/dialog.tsx'
import { SearchField } from '#web/ui/fields/search-field.tsx'
import { ownEntry } from '#web/ui/format/entry-of.ts'
import { shownName } from '#web/ui/format/shown-name.ts'
import styles from './search-box.module.css'
import { SearchResults } from './search-results.tsx'
import { buildQuery, resetSearch, runSearch, searchState, type TypeFilter } from './search-state.ts'
import { SearchStatus } from './search-status.tsx'
import { SearchTypeFilter } from './search-tiles.tsx'

interface Question {
  /** The folder to search, decoded, with a closing slash. */
  folder: string
}

export interface SearchResult {
  /** The decoded path; folders end with a slash. */
  path: string
  /** Show the item in its folder instead of opening it. */
  reveal: boolean
}

/** Delay between the last key press and the search request, in milliseconds. */
const debounceMs = 150

/** Asks for a query, shows results while the search runs, and returns the chosen result. */
export function SearchDialog({ question: { folder }, close }: AskProps<Question, SearchResult>) {
  const { t } = useLingui()
  const [words, setWords] = useState('')
  const [tile, setTile] = useState<TypeFilter>()
  const [isEverywhere, setEverywhere] = useState(false)
  const [at, setAt] = useState(0)
  const { hits } = useSnapshot(searchState)
  const id = useId()
  const query = buildQuery(words, tile)
  const target = isEverywhere ? '/' : folder
  useSearch(target, query)
  // A new query selects its first result.
  const resetting =
    <T,>(set: (value: T) => void) =>
    (value: T) => {
      set(value)
      setAt(0)
    }
  const choose = (hit: Hit | undefined, reveal: boolean) => {
    if (hit) close({ path: `${target}${hit.path.replace(/^\//, '')}${hit.dir ? '/' : ''}`, reveal })
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    const move = ownEntry({ ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 }, event.key)
    if (move) setAt(Math.max(0, Math.min(at + move, hits.length - 1)))
    else if (event.key === 'Enter') choose(hits[at], event.shiftKey)
    else return
    event.preventDefault()
  }
  const name = shownName(nameOf(target) || origin.link?.name || '') || t`My files`
  return (
    <Dialog title={t`Search in ${name}`} isWide isScreen onClose={close}>
      <SearchField
        role="combobox"
        label={t`Search`}
        aria-expanded={hits.length > 0}
        aria-controls={id}
        aria-activedescendant={hits[at] ? `${id}${at}` : undefined}
        aria-keyshortcuts="Enter Shift+Enter"
        placeholder={t`Name or part of it`}
        className={styles.input}
        value={words}
        onChange={resetting(setWords)}
        onKeyDown={onKeyDown}
        enterKeyHint="search"
        maxLength={1000}
        autoFocus
      />
      <SearchTypeFilter tile={tile} onChange={resetting(setTile)} />
      <SearchResults
        key={`${target}\n${query}`}
        id={id}
        hits={hits}
        at={at}
        terms={searchTerms(words)}
        onTake={choose}
      />
      <SearchStatus
        query={query}
        name={name}
        {...(folder !== '/' && !isEverywhere && { onEverywhere: () => resetting(setEverywhere)(true) })}
      />
      {hits.length > 0 && (
        <DialogButtons>
          <Button label={t`Show in folder`} onClick={() => choose(hits[at], true)} />
          <Button variant="main" label={t`Open`} onClick={() => choose(hits[at], false)} />
        </DialogButtons>
      )}
    </Dialog>
  )
}

/** Searches after typing stops. A newer query aborts the older search, and so does closing. */
function useSearch(folder: string, query: string): void {
  useEffect(() => {
    // An empty query does not search.
    if (!query) return resetSearch
    const timer = setTimeout(() => void runSearch(folder, query), debounceMs)
    return () => {
      clearTimeout(timer)
      resetSearch()
    }
  }, [folder, query])
}
