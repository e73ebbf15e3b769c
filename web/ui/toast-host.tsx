import { useLingui } from '@lingui/react/macro'
import { CircleAlert, CircleCheck, X } from 'lucide-react'
import { useSnapshot } from 'valtio'
import { Button } from './button.tsx'
import styles from './toast-host.module.css'
import { dismiss, toasts } from './toasts.ts'

interface ToastHostProps {
  /** Where a link leads that reports an error; undefined: there is none. */
  report(error: string): string | undefined
}

/** The notices, in the lower corner; read out as they come. */
export function ToastHost({ report }: ToastHostProps) {
  const { list } = useSnapshot(toasts)
  const { t } = useLingui()
  return (
    <div className={styles.host} aria-live="polite" data-part="notices">
      {list.map(({ id, kind, text, about }) => (
        <div key={id} className={styles.toast} data-kind={kind}>
          {kind === 'error' ? <CircleAlert size={18} aria-hidden /> : <CircleCheck size={18} aria-hidden />}
          <p role={kind === 'error' ? 'alert' : undefined}>
            {about && <bdi>{about} </bdi>}
            {text}
          </p>
          {kind === 'error' && report(text) && (
            <a className={styles.report} href={report(text)}>
              {t`Report issue`}
            </a>
          )}
          <Button look="quiet" icon={X} iconOnly label={t`Close`} onClick={() => dismiss(id)} />
        </div>
      ))}
    </div>
  )
}
