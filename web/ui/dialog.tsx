import { useLingui } from '@lingui/react/macro'
import { X } from 'lucide-react'
import { createContext, type ReactNode, useContext, useId, useLayoutEffect, useState } from 'react'
import { Heading, I18nProvider, Modal, ModalOverlay, Dialog as Pane } from 'react-aria-components'
import { Button } from './button.tsx'
import styles from './dialog.module.css'
import { useBackCloses } from './layers/back-closes.ts'

interface DialogProps {
  /** A name in it is a `shownName`. */
  title: string
  /** For a list of unknown length: more room, and a fixed top edge. */
  isWide?: boolean
  /** For two texts side by side: the whole width, up to a limit. */
  isFull?: boolean
  /** At the side of the window where the sidebar is, as high as the window. */
  isSide?: boolean
  /** On phones: the whole screen, with a button that closes it. */
  isScreen?: boolean
  /** Called on Escape, or on a press outside the dialog. */
  onClose(): void
  children: ReactNode
}

/** The id of the text of a dialog, and how the dialog learns that it has one. */
const TextContext = createContext({ id: '', setHasText: (_: boolean) => {} })

/** A modal dialog. It traps the focus and returns it. Part of the lazy chunk. */
export function Dialog({ title, isWide, isFull, isSide, isScreen, onClose, children }: DialogProps) {
  const { t, i18n } = useLingui()
  useBackCloses(onClose)
  const id = useId()
  const [hasText, setHasText] = useState(false)
  return (
    // Uses the page's language, not the browser's, because it determines the text direction.
    <I18nProvider locale={i18n.locale}>
      <ModalOverlay
        isOpen
        isDismissable
        onOpenChange={(isOpen) => !isOpen && onClose()}
        className={`${styles.veil} ${isSide ? styles.side : isWide ? styles.high : ''}`}
        data-part="dialog"
        data-screen={isScreen || undefined}
      >
        <Modal className={`${styles.modal} ${isFull ? styles.full : isWide ? styles.wide : ''}`}>
          <Pane
            className={`${styles.pane} ${isScreen ? styles.screen : ''}`}
            {...(hasText && { 'aria-describedby': id })}
          >
            <Heading slot="title">{title}</Heading>
            {isScreen && (
              <Button
                variant="quiet"
                icon={X}
                iconOnly
                label={t`Close`}
                className={styles.close}
                onClick={onClose}
              />
            )}
            <TextContext value={{ id, setHasText }}>{children}</TextContext>
          </Pane>
        </Modal>
      </ModalOverlay>
    </I18nProvider>
  )
}

interface DialogTextProps {
  className?: string | undefined
  children: ReactNode
}

/** The text of a question. Screen readers read it after the title when the dialog opens. */
export function DialogText({ className, children }: DialogTextProps) {
  const { id, setHasText } = useContext(TextContext)
  useLayoutEffect(() => {
    setHasText(true)
    return () => setHasText(false)
  }, [setHasText])
  return (
    <div id={id} className={className}>
      {children}
    </div>
  )
}

interface DialogButtonsProps {
  /** For more buttons than fit into a row: two in each row, all of one width. */
  isEven?: boolean
  children: ReactNode
}

/** The row of buttons of a dialog. The most likely one comes last. */
export function DialogButtons({ isEven, children }: DialogButtonsProps) {
  return <div className={`${styles.buttons} ${isEven ? styles.even : ''}`}>{children}</div>
}
