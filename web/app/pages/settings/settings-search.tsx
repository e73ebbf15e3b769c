import { Plural, useLingui } from '@lingui/react/macro'
import { type KeyboardEvent, type ReactNode, useEffect, useId, useMemo, useRef, useState } from 'react'
import { useSnapshot } from 'valtio'
import type { TokenUser } from '#contract/users.ts'
import { keyOf } from '#web/actions/registry.ts'
import { isPageShortcut } from '#web/overlays/page-key.ts'
import { navigateTo } from '#web/shared/paths.ts'
import { session } from '#web/shared/session.ts'
import { allSettings, type FoundSetting, findSettings } from '#web/shared/settings/find-settings.ts'
import { SearchField } from '#web/ui/fields/search-field.tsx'
import { ownEntry } from '#web/ui/format/entry-of.ts'
import { revealSetting } from './reveal.ts'
import styles from './settings-search.module.css'

interface SettingsSearchProps {
  /** The address of the shown page, without the base path. */
  path: string
  /** What is below the field while nothing is searched. The results then take its place. Without it, they float. */
  children?: ReactNode
}

/** Finds pages, sections and fields in all settings that the user may see. */
export function SettingsSearch({ path, children }: SettingsSearchProps) {
  const { t } = useLingui()
  const id = useId()
  const field = useRef<HTMLInputElement>(null)
  const [words, setWords] = useState('')
  const [at, setAt] = useState(0)
  const [isOpen, setOpen] = useState(false)
  const all = useAllSettings(path)
  const found = useMemo(() => findSettings(words, all), [words, all])
  const isShown = words.trim() !== '' && (isOpen || children !== undefined)
  useSearchKeys(field)
  const choose = (one: FoundSetting) => {
    setWords('')
    setOpen(false)
    // A field of this page needs no question about unsaved changes.
    if (one.to === path) revealSetting(one.name)
    else navigateTo(one.name === one.to ? one.to : `${one.to}#${one.name}`)
  }
  const move = (by: number) => {
    setOpen(true)
    if (isShown && found.length > 0) setAt((at + by + found.length) % found.length)
  }
  const current = isShown ? found[at] : undefined
  const acts = {
    ArrowDown: () => move(1),
    ArrowUp: () => move(-1),
    Enter: current && (() => choose(current)),
    Escape: words ? () => setWords('') : undefined,
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const act = event.nativeEvent.isComposing ? undefined : ownEntry(acts, event.key)
    if (!act) return
    act()
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <search className={styles.search} onFocus={() => setOpen(true)} onBlur={() => setOpen(false)}>
      <SearchField
        ref={field}
        role="combobox"
        label={t`Search settings`}
        placeholder={t`Search`}
        aria-keyshortcuts="/ Control+F"
        aria-expanded={isShown && found.length > 0}
        aria-controls={`${id}list`}
        aria-activedescendant={current && `${id}${at}`}
        aria-autocomplete="list"
        maxLength={200}
        value={words}
        onChange={(value) => {
          setWords(value)
          setAt(0)
          setOpen(true)
        }}
        onKeyDown={onKeyDown}
      />
      <div className={styles.panel} data-floats={children === undefined || undefined} hidden={!isShown}>
        <Results id={id} found={isShown ? found : []} at={at} onChoose={choose} />
        <Count of={isShown ? found.length : undefined} />
      </div>
      {!isShown && children}
    </search>
  )
}

/** Announces the number of results; undefined: nothing is searched. */
function Count({ of }: { of: number | undefined }) {
  const { t } = useLingui()
  return (
    <p role="status" className={of ? 'visually-hidden' : styles.none}>
      {of ? <Plural value={of} one="# result" other="# results" /> : null}
      {of === 0 && t`Nothing found. Try another word.`}
    </p>
  )
}

/** All that the user can find, in the language of the page. */
function useAllSettings(path: string): readonly FoundSetting[] {
  const { i18n } = useLingui()
  const user = useSnapshot(session).user as TokenUser | undefined
  const { locale } = i18n
  // biome-ignore lint/correctness/useExhaustiveDependencies: another language has other texts.
  return useMemo(() => (user ? allSettings({ user, i18n, path }) : []), [user, i18n, locale, path])
}

/** The keys that focus the search everywhere focus this field. */
function useSearchKeys(field: React.RefObject<HTMLInputElement | null>): void {
  useEffect(() => {
    const onKey = (event: globalThis.KeyboardEvent) => {
      if (!isPageShortcut(event) || !['/', 'Shift+/', 'Mod+f'].includes(keyOf(event))) return
      event.preventDefault()
      field.current?.focus()
      field.current?.select()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [field])
}

interface ResultsProps {
  id: string
  found: readonly FoundSetting[]
  /** The index of the current one. */
  at: number
  onChoose(one: FoundSetting): void
}

function Results({ id, found, at, onChoose }: ResultsProps) {
  const { t } = useLingui()
  useEffect(() => {
    if (found.length > 0) document.getElementById(`${id}${at}`)?.scrollIntoView({ block: 'nearest' })
  }, [id, at, found])
  return (
    <div
      id={`${id}list`}
      role="listbox"
      aria-label={t`Results`}
      className={styles.results}
      tabIndex={-1}
      // The field keeps the focus.
      onMouseDown={(event) => event.preventDefault()}
    >
      {found.map((one, n) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the search field handles the keys for all results.
        // biome-ignore lint/a11y/useFocusableInteractive: the field names its current result (aria-activedescendant).
        <div
          key={one.name}
          id={`${id}${n}`}
          role="option"
          aria-selected={n === at}
          className={styles.result}
          onClick={() => onChoose(one)}
        >
          <span className={styles.label}>{one.label}</span>
          {one.place.length > 0 && <span className={styles.place}>{one.place.join(' › ')}</span>}
          {one.help && <span className={styles.help}>{one.help}</span>}
        </div>
      ))}
    </div>
  )
}
