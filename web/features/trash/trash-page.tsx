import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Trash2, X } from 'lucide-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useSnapshot } from 'valtio'
import { useUndoKeys } from '#web/shared/rows/use-undo-keys.ts'
import { session } from '#web/shared/session.ts'
import { onReversal } from '#web/shared/undo/history.ts'
import { Button } from '#web/ui/button.tsx'
import { SearchField } from '#web/ui/fields/search-field.tsx'
import { formatNumber, formatSize } from '#web/ui/format/format.ts'
import { Toolbar } from '#web/ui/toolbar.tsx'
import { followTrash } from './follow-trash.ts'
import styles from './trash.module.css'
import { act, emptyTrash } from './trash-actions.ts'
import { TrashList } from './trash-list.tsx'
import { isServerOrder } from './trash-order.ts'
import { clearTrashSelection, selectedIn, trashSelection } from './trash-selection.ts'
import { forgetTrash, loadKeeping, loadTrash, mostSorted, retryTrash, trash } from './trash-state.ts'
import { verbsFor, verbTexts } from './trash-verbs.ts'

/** Delay between the last key press in the search field and the request, in milliseconds. */
const debounceMs = 200

/** The page of the trash: search, actions, the list, and how long entries stay. */
export function TrashPage() {
  const { t } = useLingui()
  const { isLoaded, isLoading, failure, items, search } = useSnapshot(trash)
  const mayDelete = useSnapshot(session).user?.perm.delete
  useEffect(() => {
    void loadTrash('')
    void loadKeeping()
    const end = followTrash()
    return () => {
      end()
      forgetTrash()
    }
  }, [])
  useUndoKeys()
  useEffect(() => onReversal(() => loadTrash(trash.search)), [])
  return (
    <section className={styles.page} aria-busy={isLoading} data-part="trash">
      <h1>{t`Trash`}</h1>
      <TrashSearch />
      <SelectionActions />
      {mayDelete && (
        <Button
          icon={Trash2}
          className={styles.emptier}
          data-danger
          label={t`Empty trash`}
          // Only an icon in low windows.
          aria-label={t`Empty trash`}
          isInactive={isLoaded && items.length === 0 && !search}
          onClick={emptyTrash}
        />
      )}
      {items.length > 0 ? <TrashList /> : <Message isLoaded={isLoaded} failure={failure} search={search} />}
      <Foot />
    </section>
  )
}

/** The search field. The slash key moves to it. */
function TrashSearch() {
  const { t } = useLingui()
  const field = useRef<HTMLInputElement>(null)
  const [words, setWords] = useState('')
  useEffect(() => {
    if (words === trash.search) return
    const timer = setTimeout(() => void loadTrash(words), debounceMs)
    return () => clearTimeout(timer)
  }, [words])
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== '/' || event.defaultPrevented || isTextField(event.target)) return
      event.preventDefault()
      field.current?.focus()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
  return (
    <SearchField
      ref={field}
      label={t`Search in the trash`}
      placeholder={t`Search`}
      className={styles.search}
      value={words}
      maxLength={256}
      onChange={setWords}
      onKeyDown={(event) => {
        if (event.key === 'ArrowDown') document.querySelector<HTMLElement>('[role=grid]')?.focus()
        else if (event.key === 'Escape') setWords('')
      }}
    />
  )
}

function isTextField(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('input, textarea, select, [role=dialog]') !== null
}

/** What can be done with the selection. */
function SelectionActions() {
  const { t, i18n } = useLingui()
  useSnapshot(trashSelection)
  useSnapshot(trash)
  const chosen = selectedIn(trash.items)
  const verbs = verbsFor(chosen)
  return (
    <Toolbar label={t`Actions`} className={styles.actions}>
      {verbs.map((verb) => (
        <Button
          key={verb}
          variant={verb === 'restore' ? 'plain' : 'quiet'}
          icon={verbTexts[verb].icon}
          iconOnly={verb !== 'restore'}
          label={i18n._(verbTexts[verb].label)}
          data-danger={verb === 'delete' || undefined}
          // Only an icon on narrow screens.
          {...(verb === 'restore' && { 'aria-label': i18n._(verbTexts[verb].label), 'data-main': true })}
          onClick={() => act(verb, chosen)}
        />
      ))}
      {chosen.length > 0 && (
        <Button
          variant="quiet"
          icon={X}
          iconOnly
          label={t`Clear selection`}
          onClick={() => clearTrashSelection(trashSelection.cursor)}
        />
      )}
    </Toolbar>
  )
}

interface MessageProps {
  isLoaded: boolean
  failure: string
  search: string
}

/** What is shown instead of the list. */
function Message({ isLoaded, failure, search }: MessageProps): ReactNode {
  const { t } = useLingui()
  const { keeping } = useSnapshot(trash)
  if (failure)
    return (
      <div className={styles.message} tabIndex={-1} data-message>
        <p role="alert">{failure}</p>
        <Button label={t`Try again`} onClick={retryTrash} />
      </div>
    )
  if (!isLoaded)
    return (
      <div className={styles.message} tabIndex={-1} data-message>
        <p role="status">{t`Loading…`}</p>
      </div>
    )
  return (
    <div className={styles.message} tabIndex={-1} data-message>
      <Trash2 size={56} strokeWidth={1} aria-hidden />
      <h2>{search ? t`Nothing found` : t`The trash is empty`}</h2>
      <p>
        {search ? (
          <Trans>
            No path contains “<bdi>{search}</bdi>”.
          </Trans>
        ) : keeping?.trash === false ? (
          t`The trash is turned off. Deleted items can't be restored.`
        ) : (
          t`Deleted items appear here and can be restored.`
        )}
      </p>
    </div>
  )
}

/** The number of entries or of selected ones, and how long entries stay. Screen readers announce the number. */
function Foot() {
  const { i18n } = useLingui()
  const { ids } = useSnapshot(trashSelection)
  const { total, size, keeping, isLoaded, order, next } = useSnapshot(trash)
  if (!isLoaded) return null
  const days = keeping?.days ?? 0
  return (
    <footer className={styles.foot} data-chosen={ids.size > 0 || undefined}>
      <p role="status">
        {ids.size > 0 ? (
          <Trans>
            {formatNumber(ids.size, i18n.locale)} of {formatNumber(total, i18n.locale)} selected
          </Trans>
        ) : (
          <Plural value={total} one="# item" other="# items" />
        )}
        {ids.size === 0 && total > 0 && ` · ${formatSize(size, i18n.locale)}`}
      </p>
      {!isServerOrder(order) && next !== undefined && (
        <p>
          <Trans>
            Only the {formatNumber(mostSorted, i18n.locale)} items deleted last are shown in this order.
          </Trans>
        </p>
      )}
      {keeping?.trash && (
        <p>
          <Plural
            value={days}
            one="Items stay for # day, unless space is needed."
            other="Items stay for # days, unless space is needed."
          />
        </p>
      )}
    </footer>
  )
}
