import { useLingui } from '@lingui/react/macro'
import type { ReactNode } from 'react'
import type { Share } from '#web/api/origin.ts'
import { Cover, Sender } from '../offer-parts.tsx'
import styles from './send.module.css'
import { SendPanel } from './send-panel.tsx'

interface ReceivePageProps {
  link: Share
  /** The link is being read, also again. */
  isLoading: boolean
  /** Called when files have arrived and nothing more is being sent. */
  onArrived(): void
  /** Why the link could not be read again. */
  children: ReactNode
}

/** The page of a share that only receives files: what the sender of the link asks for, and the place to send files. */
export function ReceivePage({ link, isLoading, onArrived, children }: ReceivePageProps) {
  const { t } = useLingui()
  const { title, message } = link.offer ?? {}
  return (
    <section className={styles.page} aria-busy={isLoading}>
      <Cover link={link} />
      <h1>
        <bdi>{title ?? t`Send files`}</bdi>
      </h1>
      {link.offer?.from && (
        <p className={styles.message}>
          <Sender link={link} />
        </p>
      )}
      {message && (
        <p className={styles.message}>
          <bdi>{message}</bdi>
        </p>
      )}
      {children}
      <SendPanel link={link} folder="/" onArrived={onArrived} />
    </section>
  )
}
