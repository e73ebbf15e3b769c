import { useLingui } from '@lingui/react/macro'
import { useEffect, useState } from 'react'
import { Button } from '#web/ui/button.tsx'
import { useRoom } from '#web/ui/toasts/use-room.ts'
import styles from './save-bar.module.css'

interface SaveBarProps {
  /** Something was changed. Otherwise the bar is hidden. */
  isChanged: boolean
  isBusy: boolean
  /** The running save, whose progress the button shows. */
  task: Promise<boolean> | undefined
  onDiscard(): void
}

/** The bar at the lower edge of a form with several sections: it saves or discards all changes. Ctrl+S saves, too. */
export function SaveBar({ isChanged, isBusy, task, onDiscard }: SaveBarProps) {
  const { t } = useLingui()
  // A pressed button keeps the focus, so that Tab continues from there.
  const [hasFocus, setFocus] = useState(false)
  const isShown = isChanged || hasFocus
  // The bar is above the lower edge, and the notices are above the bar.
  const bar = useRoom('--save-bar-block-size', isShown, 16)
  useEffect(() => {
    if (!isChanged) return
    const onKey = (event: KeyboardEvent) => {
      const isSave = (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey && event.key === 's'
      if (!isSave || document.querySelector('[role=dialog]')) return
      event.preventDefault()
      bar.current?.closest('form')?.requestSubmit()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [isChanged, bar])
  return (
    <section
      ref={bar}
      aria-label={t`Unsaved changes`}
      className={styles.bar}
      data-part="save-bar"
      hidden={!isShown}
      onFocus={() => setFocus(true)}
      onBlur={() => setFocus(false)}
    >
      <p role="status">{isChanged ? t`Unsaved changes` : hasFocus ? t`Saved` : ''}</p>
      <Button variant="quiet" label={t`Discard`} isInactive={isBusy || !isChanged} onClick={onDiscard} />
      <Button type="submit" variant="main" label={t`Save`} isInactive={isBusy || !isChanged} task={task} />
    </section>
  )
}
