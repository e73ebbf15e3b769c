import { useLingui } from '@lingui/react/macro'
import { ChevronLeft, ChevronRight } from 'lucide-react'
import { type ReactNode, useEffect, useRef } from 'react'
import type { Item } from '#contract/resources.ts'
import { LaterDialog, LaterDialogButtons } from '#web/overlays/later-dialog.tsx'
import { useRested } from '#web/shared/lists/use-rested.ts'
import { Button } from '#web/ui/button.tsx'
import { FileIcon } from '#web/ui/file-icon.tsx'
import { ownEntry } from '#web/ui/format/entry-of.ts'
import { formatDate, formatNumber, formatSize } from '#web/ui/format/format.ts'
import { shownName } from '#web/ui/format/shown-name.ts'
import styles from './quick-look.module.css'

/** A held arrow key goes faster than this, so that it loads no preview. In milliseconds. */
const restMs = 120

interface QuickLookProps {
  item: Item
  /** The position in the row, counted from 1. */
  at: number
  count: number
  /** The preview of a file; undefined if there is none. */
  renderPreview(item: Item): ReactNode
  /** Goes to the next (1) or the previous (-1) item. */
  onMove(by: 1 | -1): void
  onOpen(): void
  onClose(): void
}

/** A preview of one item above the list. Arrow keys go to its neighbours. */
export function QuickLook({ item, at, count, renderPreview, onMove, onOpen, onClose }: QuickLookProps) {
  const { t, i18n } = useLingui()
  const stage = useRef<HTMLDivElement>(null)
  useKeys({ onMove, onOpen, onClose })
  useEffect(() => stage.current?.focus(), [])
  const isRested = useRested(item.path, restMs) === item.path
  const preview = isRested && !item.isDir ? renderPreview(item) : undefined
  return (
    <LaterDialog title={shownName(item.name)} isFull onClose={onClose}>
      <p className={styles.facts}>
        {!item.isDir && `${formatSize(item.size, i18n.locale)} · `}
        {formatDate(Date.parse(item.modified), i18n.locale)}
      </p>
      <div ref={stage} className={styles.stage} tabIndex={-1} data-part="quick-look">
        {preview ?? (
          <div className={styles.none}>
            <FileIcon name={item.name} isDir={item.isDir} type={item.type} size={96} />
            {isRested && !item.isDir && <p>{t`There is no preview of this file.`}</p>}
          </div>
        )}
      </div>
      <LaterDialogButtons>
        <div className={styles.turn}>
          <Button
            variant="quiet"
            icon={ChevronLeft}
            iconOnly
            label={t`Previous`}
            isInactive={at <= 1}
            onClick={() => onMove(-1)}
          />
          <p aria-live="polite">
            {/* Without the name, screen readers would announce only the number. */}
            <span className="visually-hidden">{item.name} </span>
            {t`${formatNumber(at, i18n.locale)} of ${formatNumber(count, i18n.locale)}`}
          </p>
          <Button
            variant="quiet"
            icon={ChevronRight}
            iconOnly
            label={t`Next`}
            isInactive={at >= count}
            onClick={() => onMove(1)}
          />
        </div>
        <Button label={t`Close`} onClick={onClose} />
        <Button variant="main" label={t`Open`} onClick={onOpen} />
      </LaterDialogButtons>
    </LaterDialog>
  )
}

type Handlers = Pick<QuickLookProps, 'onMove' | 'onOpen' | 'onClose'>

/** The keys work wherever the focus is in the dialog. Players keep the arrow keys, buttons keep Space and Enter. */
function useKeys(handlers: Handlers): void {
  const latest = useRef(handlers)
  latest.current = handlers
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => handleKey(event, latest.current)
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
}

function handleKey(event: KeyboardEvent, { onMove, onOpen, onClose }: Handlers): void {
  if (!isPlain(event) || hasOwnUse(event)) return
  const by = directionOf(event.key)
  const act = ownEntry({ ' ': onClose, Enter: onOpen }, event.key)
  if (by) onMove(by)
  else if (act && !event.repeat) act()
  if (by || act) event.preventDefault()
}

function isPlain({ defaultPrevented, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent): boolean {
  return !(defaultPrevented || ctrlKey || metaKey || altKey || shiftKey)
}

function directionOf(key: string): 1 | -1 | undefined {
  const isRtl = document.documentElement.dir === 'rtl'
  if (key === 'ArrowDown' || key === (isRtl ? 'ArrowLeft' : 'ArrowRight')) return 1
  return key === 'ArrowUp' || key === (isRtl ? 'ArrowRight' : 'ArrowLeft') ? -1 : undefined
}

function hasOwnUse({ key, target }: KeyboardEvent): boolean {
  const owners = key.startsWith('Arrow') ? 'audio, video' : 'audio, video, button, a'
  return target instanceof Element && target.closest(owners) !== null
}
