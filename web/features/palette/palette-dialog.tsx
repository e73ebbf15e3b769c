import { Plural, useLingui } from '@lingui/react/macro'
import { type KeyboardEvent, useEffect, useId, useMemo, useState } from 'react'
import type { Hit } from '#web/api/search/search.ts'
import { LaterDialog } from '#web/overlays/later-dialog.tsx'
import { SearchField } from '#web/ui/fields/search-field.tsx'
import { ownEntry } from '#web/ui/format/entry-of.ts'
import { formatNumber } from '#web/ui/format/format.ts'
import { keyText } from '#web/ui/format/key-text.ts'
import { shownName } from '#web/ui/format/shown-name.ts'
import styles from './palette.module.css'
import { matchingGroups, type PaletteEntry, type PaletteGroup } from './palette-entries.ts'
import { useNameSearch } from './use-name-search.ts'

interface PaletteDialogProps {
  groups: readonly PaletteGroup[]
  /** The line of a result of the server; undefined: the server is not asked. */
  entryOf?: ((hit: Hit) => PaletteEntry) | undefined
  onChoose(entry: PaletteEntry): void
  onClose(): void
}

/** Finds actions, files, folders and pages by name, and runs or opens the chosen one. */
export function PaletteDialog({ groups, entryOf, onChoose, onClose }: PaletteDialogProps) {
  const { t } = useLingui()
  const [words, setWords] = useState('')
  const [at, setAt] = useState(0)
  const id = useId()
  const { hits, hasMore, isSearching, failure } = useNameSearch(words, entryOf !== undefined)
  const local = useMemo(() => matchingGroups(groups, words), [groups, words])
  // Last, because they arrive later and must not move the other entries.
  const known = new Set(local.flatMap(({ entries }) => entries.map((entry) => entry.id)))
  const remote = hits.flatMap((hit) => entryOf?.(hit) ?? []).filter((entry) => !known.has(entry.id))
  const shown = remote.length > 0 ? [...local, { title: t`All my files`, entries: remote }] : local
  const entries = shown.flatMap((group) => group.entries)
  const current = entries[at]
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    const by = ownEntry({ ArrowDown: 1, ArrowUp: -1 }, event.key)
    if (by && entries.length > 0) setAt((at + by + entries.length) % entries.length)
    else if (event.key === 'Enter' && current) onChoose(current)
    else if (!by && event.key !== 'Enter') return
    event.preventDefault()
  }
  return (
    <LaterDialog title={t`Find anything`} isWide onClose={onClose}>
      <SearchField
        role="combobox"
        label={t`Search`}
        aria-expanded={entries.length > 0}
        aria-controls={id}
        aria-activedescendant={current && `${id}${at}`}
        placeholder={t`Action, file or page`}
        className={styles.input}
        value={words}
        onChange={(value) => {
          setWords(value)
          setAt(0)
        }}
        onKeyDown={onKeyDown}
        maxLength={1000}
        // biome-ignore lint/a11y/noAutofocus: the dialog is opened to type.
        autoFocus
      />
      <Results id={id} groups={shown} at={at} onChoose={onChoose} />
      <p role="status" className={styles.status}>
        {failure ??
          (isSearching ? (
            t`Searching…`
          ) : (
            <Found
              count={entries.length}
              hasMore={hasMore || local.some((group) => group.hasMore)}
              hasQuery={words.trim() !== ''}
            />
          ))}
      </p>
    </LaterDialog>
  )
}

interface FoundProps {
  count: number
  /** More entries match than are listed. */
  hasMore: boolean
  hasQuery: boolean
}

/** How many entries were found. If all are listed, only screen readers need it, because everybody else sees them. */
function Found({ count, hasMore, hasQuery }: FoundProps) {
  const { t, i18n } = useLingui()
  if (count === 0) return t`Nothing found`
  const number = formatNumber(count, i18n.locale)
  if (hasMore) return t`First ${number} results. There may be more.`
  return (
    hasQuery && (
      <span className="visually-hidden">
        <Plural value={count} one="# result" other="# results" />
      </span>
    )
  )
}

interface ResultsProps {
  id: string
  groups: readonly PaletteGroup[]
  /** The index of the current entry, counted over all groups. */
  at: number
  onChoose(entry: PaletteEntry): void
}

function Results({ id, groups, at, onChoose }: ResultsProps) {
  const { t } = useLingui()
  useEffect(() => {
    document.getElementById(`${id}${at}`)?.scrollIntoView({ block: 'nearest' })
  }, [id, at])
  let next = 0
  return (
    <div
      id={id}
      role="listbox"
      aria-label={t`Results`}
      className={styles.results}
      tabIndex={-1}
      data-none={groups.length === 0 || undefined}
    >
      {groups.map(({ title, entries }) => {
        const from = next
        next += entries.length
        return (
          // biome-ignore lint/a11y/useSemanticElements: a list box has no fieldsets.
          <div key={title} role="group" aria-label={title} className={styles.group}>
            <p aria-hidden="true">{title}</p>
            {entries.map((entry, n) => (
              <Line
                key={entry.id}
                id={`${id}${from + n}`}
                entry={entry}
                isCurrent={from + n === at}
                onChoose={onChoose}
              />
            ))}
          </div>
        )
      })}
    </div>
  )
}

interface LineProps {
  id: string
  entry: PaletteEntry
  isCurrent: boolean
  onChoose(entry: PaletteEntry): void
}

function Line({ id, entry, isCurrent, onChoose }: LineProps) {
  const { label, place, keys, icon } = entry
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the search field handles the keys for all results.
    // biome-ignore lint/a11y/useFocusableInteractive: the field names its current result (aria-activedescendant).
    <div
      id={id}
      role="option"
      aria-selected={isCurrent}
      className={styles.line}
      data-tip={place === undefined ? undefined : place + label}
      onClick={() => onChoose(entry)}
    >
      {icon}
      <bdi>{shownName(label)}</bdi>
      {place !== undefined && <bdi className={styles.place}>{shownName(place)}</bdi>}
      {keys && <kbd dir="ltr">{keyText(keys)}</kbd>}
    </div>
  )
}
