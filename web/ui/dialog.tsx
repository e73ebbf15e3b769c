import { useLingui } from '@lingui/react/macro'
import type { ReactNode } from 'react'
import { Heading, I18nProvider, Modal, ModalOverlay, Dialog as Pane } from 'react-aria-components'
import styles from './dialog.module.css'

interface DialogProps {
  title: string
  /** A list of unknown length: more room, and a top edge that stays where it is. */
  isWide?: boolean
  /** Escape, or a press beside the dialog. */
  onClose(): void
  children: ReactNode
}

/** A question above the page: it holds the focus and gives it back. Part of the lazy chunk. */
export function Dialog({ title, isWide, onClose, children }: DialogProps) {
  const { i18n } = useLingui()
  return (
    // The page's language, not the browser's: it says where a line begins.
    <I18nProvider locale={i18n.locale}>
      <ModalOverlay
        isOpen
        isDismissable
        onOpenChange={(isOpen) => !isOpen && onClose()}
        className={`${styles.veil} ${isWide ? styles.high : ''}`}
      >
        <Modal className={`${styles.modal} ${isWide ? styles.wide : ''}`}>
          <Pane className={styles.pane ?? ''}>
            <Heading slot="title">{title}</Heading>
            {children}
          </Pane>
        </Modal>
      </ModalOverlay>
    </I18nProvider>
  )
}

interface DialogButtonsProps {
  children: ReactNode
}

/** The row of answers, the likeliest last. */
export function DialogButtons({ children }: DialogButtonsProps) {
  return <div className={styles.buttons}>{children}</div>
}
