import { useLingui } from '@lingui/react/macro'
import { useSnapshot } from 'valtio'
import { lazy } from '#web/ui/lazy.tsx'
import styles from './toast-host.module.css'
import { toasts } from './toasts.ts'

const ToastList = lazy(async () => (await import('#web/app/chunks/later-views.ts')).ToastList)

/**
 * The place of the notices in the lower corner, or in the upper one while a dialog is open. Screen readers announce the
 * sentence of each as it appears, and find its buttons here.
 */
export function ToastHost() {
  const { t } = useLingui()
  const isEmpty = useSnapshot(toasts).list.length === 0
  return (
    <div
      className={styles.host}
      // Keeps notices active while a dialog is open, and keeps the dialog open when a notice is pressed.
      data-react-aria-top-layer
      {...(!isEmpty && { role: 'region', 'aria-label': t`Notifications` })}
      data-part="notices"
    >
      {!isEmpty && <ToastList />}
    </div>
  )
}
