import { Plural, useLingui } from '@lingui/react/macro'
import { FileText, Film, Folder, Image, Music } from 'lucide-react'
import { type KeyboardEvent, useEffect, useId, useState } from 'react'
import { useSnapshot } from 'valtio'
import { problemText } from '#web/api/problem-text.ts'
import type { Hit } from '#web/api/search.ts'
import { nameOf, parentOf } from '#web/app/paths.ts'
import type { AskProps } from '#web/overlays/ask.ts'
import { Button } from '#web/ui/button.tsx'
import { Dialog } from '#web/ui/dialog.tsx'
import { FileIcon } from '#web/ui/file-icon.tsx'
import styles from './search-box.module.css'
import { found, look, queryOf, type Tile } from './search-state.ts'

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

/** Results shown at first, and how many more at the bottom (specification, section 4). */
const step = 50
/** How long typing rests before the server is asked, in milliseconds. */
const restMs = 150

/** Asks what to look for, shows what is found while it is found, and answers what to open. */
export function SearchBox({ question: { folder }, close }: AskProps<Question, Found>) {
  const { t, i18n } = useLingui()
  const [words, setWords] = useState('')
  const [tile, setTile] = useState<Tile>()
  const [at, setAt] = useState(0)
  const { hits, looking, failure } = useSnapshot(found)
  const id = useId()
  const query = queryOf(words, tile)
  useSearch(folder, query)
  const place = nameOf(folder) || t`My files`
  const take = (hit: Hit | undefined, reveal: boolean) => {
    if (hit) close({ path: `${folder}${hit.path.replace(/^\//, '')}${hit.dir ? '/' : ''}`, reveal })
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    const move = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 }[event.key]
    if (move) setAt(Math.max(0, Math.min(at + move, hits.length - 1)))
    else if (event.key === 'Enter') take(hits[at], event.shiftKey)
    else return
    event.preventDefault()
  }
  return (
    <Dialog title={t`Search in ${place}`} onClose={close}>
      <input
        type="search"
        role="combobox"
        aria-label={t`Search`}
        aria-expanded={hits.length > 0}
        aria-controls={id}
        aria-activedescendant={hits[at] ? `${id}${at}` : undefined}
        className={styles.input}
        value={words}
        onChange={(event) => {
          setWords(event.target.value)
          setAt(0)
        }}
        onKeyDown={onKeyDown}
        autoComplete="off"
        spellCheck={false}
        autoFocus
      />
      <Tiles
        tile={tile}
        onChange={(next) => {
          setTile(next)
          setAt(0)
        }}
      />
      <Results key={query} id={id} hits={hits} at={at} onTake={take} />
      <p role="status" className={styles.status}>
        {failure ? (
          i18n._(problemText(failure))
        ) : looking ? (
          t`Looking…`
        ) : query ? (
          <Plural value={hits.length} _0="Nothing found." one="# found" other="# found" />
        ) : (
          t`Shift and Enter shows a result in its folder.`
        )}
      </p>
    </Dialog>
  )
}

/** Asks the server when typing rests; a newer search ends the older one. */
function useSearch(folder: string, query: string): void {
  useEffect(() => {
    const controller = new AbortController()
    const timer = setTimeout(() => void look(folder, query, controller.signal), query ? restMs : 0)
    return () => {
      clearTimeout(timer)
      controller.abort()
    }
  }, [folder, query])
}

interface TilesProps {
  tile: Tile | undefined
  onChange(tile: Tile | undefined): void
}

function Tiles({ tile, onChange }: TilesProps) {
  const { t } = useLingui()
  const tiles = [
    ['image', t`Images`, Image],
    ['music', t`Music`, Music],
    ['video', t`Video`, Film],
    ['pdf', t`PDF`, FileText],
  ] as const
  return (
    <div className={styles.tiles}>
      {tiles.map(([name, label, icon]) => (
        <Button
          key={name}
          icon={icon}
          label={label}
          aria-pressed={tile === name}
          onClick={() => onChange(tile === name ? undefined : name)}
        />
      ))}
    </div>
  )
}

interface ResultsProps {
  id: string
  hits: readonly Hit[]
  at: number
  onTake(hit: Hit, reveal: boolean): void
}

function Results({ id, hits, at, onTake }: ResultsProps) {
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
        // 100 pixels before the end the next fifty come (specification, section 9).
        if (box.scrollHeight - box.scrollTop - box.clientHeight < 100 && hits.length > count)
          setLimit(count + step)
      }}
    >
      {hits.slice(0, count).map((hit, n) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the keys for all results.
        // biome-ignore lint/a11y/useFocusableInteractive: the field names its current result (aria-activedescendant).
        <div
          key={hit.path}
          id={`${id}${n}`}
          role="option"
          aria-selected={n === at}
          className={styles.hit}
          onClick={(event) => onTake(hit, event.shiftKey)}
        >
          {hit.dir ? (
            <Folder size={20} strokeWidth={1.8} aria-hidden />
          ) : (
            <FileIcon name={nameOf(hit.path)} isDir={false} type="blob" />
          )}
          <bdi>{nameOf(hit.path)}</bdi>
          <bdi className={styles.place}>{parentOf(`/${hit.path}`)}</bdi>
        </div>
      ))}
    </div>
  )
}
