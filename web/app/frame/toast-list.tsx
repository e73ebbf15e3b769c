import { useLingui } from '@lingui/react/macro'
import { CircleAlert, CircleCheck, LoaderCircle, TriangleAlert, X } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { useSnapshot } from 'valtio'
import { copyText } from '#web/shared/copy-text.ts'
import { Button } from '#web/ui/button.tsx'
import { focusContent } from '#web/ui/layers/lost-focus.ts'
import { dismiss, noticeMs, showToast, type Toast, toasts } from '#web/ui/toasts/toasts.ts'
import { reportText } from './report.ts'
import styles from './toast-list.module.css'
import { ToastTimer, useHold } from './toast-timer.tsx'

/** The notices. They are inside the place that screen readers announce. */
export function ToastList() {
  const { list } = useSnapshot(toasts)
  /** The element that had the focus before it moved to a notice. */
  const origin = useRef<Element>(null)
  const returnFocus = () => {
    const back = origin.current
    if (back instanceof HTMLElement && back.checkVisibility()) back.focus({ preventScroll: true })
    else focusContent()
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: a notice with the focus may disappear with the list.
  useEffect(() => {
    return () => {
      if (origin.current && document.activeElement === document.body) returnFocus()
    }
  }, [list])
  const close = (inside: Element, id: number) => {
    const all = [...(inside.closest('[data-part=notices]')?.children ?? [])]
    const at = all.findIndex((one) => one.contains(inside))
    const next = (all[at + 1] ?? all[at - 1])?.querySelector<HTMLElement>('button:last-of-type')
    if (next) next.focus({ preventScroll: true })
    else returnFocus()
    dismiss(id)
  }
  return (list as readonly Toast[]).map((toast) => (
    <Notice
      key={toast.id}
      toast={toast}
      onEnter={(from) => {
        origin.current = from
      }}
      onClose={(inside) => close(inside, toast.id)}
      onDone={() => {
        if (document.activeElement?.closest('[data-part=notices]')) returnFocus()
      }}
    />
  ))
}

const icons = { success: CircleCheck, busy: LoaderCircle, warning: TriangleAlert, error: CircleAlert }

interface NoticeProps {
  toast: Toast
  /** Called with the element that loses the focus to this notice. */
  onEnter(from: Element | null): void
  /** `inside` is an element of the notice. */
  onClose(inside: Element): void
  /** Called when the action of a button has ended. */
  onDone(): void
}

function Notice({ toast, onEnter, onClose, onDone }: NoticeProps) {
  const { t } = useLingui()
  const { id, version, kind, text, subject, lines = [], actions = [] } = toast
  const { ms = actions.length > 0 ? noticeMs.withAction : noticeMs.plain } = toast
  const { isHeld, handlers } = useHold()
  const Icon = icons[kind]
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the notice stays while the pointer or the focus is on it.
    <div
      className={styles.toast}
      data-kind={kind}
      data-key={toast.key}
      {...handlers}
      onFocus={(event) => {
        handlers.onFocus()
        if (!event.relatedTarget?.closest('[data-part=notices]')) onEnter(event.relatedTarget)
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return
        event.preventDefault()
        onClose(event.currentTarget)
      }}
    >
      <Icon size={18} aria-hidden />
      <div className={styles.text}>
        {/* Only the sentence is announced: a button is not part of it. */}
        <p {...(kind === 'error' || kind === 'warning' ? { role: 'alert' } : { 'aria-live': 'polite' })}>
          {subject && <bdi>{subject} </bdi>}
          {text}
        </p>
        {lines.length > 0 && (
          <ul>
            {lines.map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
        )}
      </div>
      {kind === 'error' && (
        <button
          type="button"
          className={styles.report}
          onClick={async () => {
            if (await copyText(reportText(text))) showToast('success', t`Copied`)
          }}
        >
          {t`Copy details`}
        </button>
      )}
      {actions.map(({ label, run }, n) => (
        <Button
          // Undo becomes Redo: the button keeps the focus until its action has ended.
          // biome-ignore lint/suspicious/noArrayIndexKey: a notice has the same buttons in the same order.
          key={n}
          variant="quiet"
          className={styles.action}
          label={label}
          onClick={() => {
            const work = run()
            void Promise.resolve(work).then(onDone, onDone)
            // A promise lets the button show its progress.
            return work as undefined
          }}
        />
      ))}
      <Button
        variant="quiet"
        icon={X}
        iconOnly
        label={t`Close`}
        onClick={({ currentTarget }) => onClose(currentTarget)}
      />
      {kind === 'success' && (
        // A notice without an action disappears also under the pointer, which may be there by chance.
        <ToastTimer key={version} ms={ms} isHeld={isHeld && actions.length > 0} onEnd={() => dismiss(id)} />
      )}
    </div>
  )
}
