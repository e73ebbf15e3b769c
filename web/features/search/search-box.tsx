import { useLingui } from '@lingui/react/macro'
import { type KeyboardEvent, useEffect, useId, useState } from 'react'
import { useSnapshot } from 'valtio'
import type { Hit } from '#web/api/search.ts'
import type { AskProps } from '#web/overlays/ask.ts'
import { nameOf } from '#web/shared/paths.ts'
import { Button } from '#web/ui/button.tsx'
import { Dialog, DialogButtons } from '#web/ui/dialog.tsx'
import { entryOf } from '#web/ui/format/entry-of.ts'
import styles from './search-box.module.css'
import { SearchResults } from './search-results.tsx'
import { found, look, queryOf, reset, type Tile, termsOf } from './search-state.ts'
import { SearchStatus } from './search-status.tsx'
import { SearchTiles } from './search-tiles.tsx'

interface Question {
  /** The folder to look in, decoded, with a closing slash. */
  folder: string
}

export interface Found {
  /** Decoded; folders end with a slash. */
  path: string
  /** Show it in its folder instead of opening it. */
  reveal: boolean
}

/** How long typing rests before the server is asked, in milliseconds. */
const restMs = 150

/** Asks what to look for, shows what is found while it is found, and answers what to open. */
export function SearchBox({ question: { folder }, close }: AskProps<Question, Found>) {
  const { t } = useLingui()
  const [words, setWords] = useState('')
  const [tile, setTile] = useState<Tile>()
  const [isEverywhere, setEverywhere] = useState(false)
  const [at, setAt] = useState(0)
  const { hits } = useSnapshot(found)
  const id = useId()
  const query = queryOf(words, tile)
  const place = isEverywhere ? '/' : folder
  useSearch(place, query)
  // Whatever is looked for anew, one begins at its first result.
  const anew =
    <T,>(set: (value: T) => void) =>
    (value: T) => {
      set(value)
      setAt(0)
    }
  const take = (hit: Hit | undefined, reveal: boolean) => {
    if (hit) close({ path: `${place}${hit.path.replace(/^\//, '')}${hit.dir ? '/' : ''}`, reveal })
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    const move = entryOf({ ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 }, event.key)
    if (move) setAt(Math.max(0, Math.min(at + move, hits.length - 1)))
    else if (event.key === 'Enter') take(hits[at], event.shiftKey)
    else return
    event.preventDefault()
  }
  const name = nameOf(place) || t`My files`
  return (
    <Dialog title={t`Search in ${name}`} isWide onClose={close}>
      <input
        type="search"
        role="combobox"
        aria-label={t`Search`}
        aria-expanded={hits.length > 0}
        aria-controls={id}
        aria-activedescendant={hits[at] ? `${id}${at}` : undefined}
        aria-keyshortcuts="Enter Shift+Enter"
        placeholder={t`Name or part of it`}
        className={styles.input}
        value={words}
        onChange={(event) => anew(setWords)(event.target.value)}
        onKeyDown={onKeyDown}
        enterKeyHint="search"
        maxLength={1000}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        autoFocus
      />
      <SearchTiles tile={tile} onChange={anew(setTile)} />
      <SearchResults
        key={`${place}\n${query}`}
        id={id}
        hits={hits}
        at={at}
        terms={termsOf(words)}
        onTake={take}
      />
      <SearchStatus
        query={query}
        name={name}
        {...(folder !== '/' && !isEverywhere && { onEverywhere: () => anew(setEverywhere)(true) })}
      />
      {hits.length > 0 && (
        <DialogButtons>
          <Button label={t`Show in folder`} onClick={() => take(hits[at], true)} />
          <Button look="main" label={t`Open`} onClick={() => take(hits[at], false)} />
        </DialogButtons>
      )}
    </Dialog>
  )
}

/** Asks the server when typing rests; a newer search ends the older one, and closing ends all. */
function useSearch(folder: string, query: string): void {
  useEffect(() => {
    // An empty query is no question.
    if (!query) return reset
    const timer = setTimeout(() => void look(folder, query), restMs)
    return () => {
      clearTimeout(timer)
      reset()
    }
  }, [folder, query])
}
