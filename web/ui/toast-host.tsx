import { useLingui } from '@lingui/react/macro'
import { CircleAlert, CircleCheck, X } from 'lucide-react'
import { useRef } from 'react'
import { useSnapshot } from 'valtio'
import { Button } from './button.tsx'
import styles from './toast-host.module.css'
import { dismiss, toasts } from './toasts.ts'

interface ToastHostProps {
  /** The address of a link that reports an error; undefined if there is none. */
  report(error: string): string | undefined
}

/** The notices in the lower corner. Screen readers announce them as they appear. */
export function ToastHost({ report }: ToastHostProps) {
  const { list } = useSnapshot(toasts)
  const { t } = useLingui()
  /** The element that had the focus before it moved to a notice. */
  const origin = useRef<Element>(null)
  const close = (button: HTMLElement, id: number) => {
    const all = [...(button.closest('[data-part=notices]')?.querySelectorAll('button') ?? [])]
    const at = all.indexOf(button as HTMLButtonElement)
    const back = origin.current?.isConnected ? origin.current : document.querySelector('[role=grid]')
    const next = all[at + 1] ?? all[at - 1] ?? back
    if (next instanceof HTMLElement) next.focus({ preventScroll: true })
    dismiss(id)
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only stores where the focus came from.
    <div
      className={styles.host}
      // Keeps notices active while a dialog is open, and keeps the dialog open when a notice is pressed.
      data-react-aria-top-layer
      aria-live="polite"
      data-part="notices"
      onFocus={({ currentTarget, relatedTarget }) => {
        if (!currentTarget.contains(relatedTarget)) origin.current = relatedTarget
      }}
    >
      {list.map(({ id, kind, text, subject }) => (
        <div key={id} className={styles.toast} data-kind={kind}>
          {kind === 'error' ? <CircleAlert size={18} aria-hidden /> : <CircleCheck size={18} aria-hidden />}
          <p role={kind === 'error' ? 'alert' : undefined}>
            {subject && <bdi>{subject} </bdi>}
            {text}
          </p>
          {kind === 'error' && report(text) && (
            <a className={styles.report} href={report(text)}>
              {t`Report issue`}
            </a>
          )}
          <Button
            variant="quiet"
            icon={X}
            iconOnly
            label={t`Close`}
            onClick={({ currentTarget }) => close(currentTarget, id)}
          />
        </div>
      ))}
    </div>
  )
}
