import { useLingui } from '@lingui/react/macro'
import type { LucideIcon } from 'lucide-react'
import { Fragment, type RefObject, useState } from 'react'
import {
  I18nProvider,
  Menu as List,
  MenuItem,
  Popover,
  Separator,
  setInteractionModality,
} from 'react-aria-components'
import { keyText } from '#web/ui/format/key-text.ts'
import { useBackCloses } from '#web/ui/layers/back-closes.ts'
import styles from './menu.module.css'

export interface MenuChoice {
  id: string
  label: string
  icon: LucideIcon
  /** The shortcut of the same action, as in `Mod+c`. */
  keys?: string | undefined
  /** A line above the item begins another group. */
  startsGroup?: boolean
  /** The item deletes something, and is red. */
  isDanger?: boolean
  /** The choice is the present place. */
  isCurrent?: boolean
  /** Whether this choice is on, for choices that can be on or off. */
  isChecked?: boolean
}

export type MenuPlacement = 'bottom end' | 'bottom start' | 'top start' | 'end top'

interface MenuProps {
  label: string
  choices: readonly MenuChoice[]
  /** The button beside which the menu opens. */
  anchor: RefObject<HTMLElement | null>
  placement?: MenuPlacement | undefined
  onChoose(id: string): void
  onClose(): void
}

/** A menu beside a button. On a narrow touch screen it is a sheet at the lower edge. Part of the lazy chunk. */
export function Menu({ label, choices, anchor, placement = 'bottom end', onChoose, onClose }: MenuProps) {
  const { i18n } = useLingui()
  useBackCloses(onClose)
  // A press of Enter counts as one by a screen reader, after which the library would leave the focus on the menu.
  useState(() => anchor.current?.matches(':focus-visible') && setInteractionModality('keyboard'))
  return (
    // Uses the page's language, not the browser's, because it determines the text direction.
    <I18nProvider locale={i18n.locale}>
      <Popover
        isOpen
        // The menu inside is enough for screen readers: it needs no dialog around it.
        render={({ role: _, ...props }) => <div {...props} />}
        triggerRef={anchor}
        placement={placement}
        // An open drawer covers the rest of the page, so that the menu must be inside it.
        UNSTABLE_portalContainer={anchor.current?.closest('dialog') ?? document.body}
        onOpenChange={(isOpen) => !isOpen && onClose()}
        className={styles.popover ?? ''}
        data-part="menu"
      >
        <List
          aria-label={label}
          autoFocus="first"
          // Choices that can be on or off are announced as such, and the menu stays open.
          selectionMode={choices.some(({ isChecked }) => isChecked !== undefined) ? 'multiple' : 'none'}
          selectedKeys={choices.flatMap(({ id, isChecked }) => (isChecked ? id : []))}
          onAction={(key) => onChoose(String(key))}
          onClose={onClose}
          className={styles.menu ?? ''}
        >
          {choices.map(({ id, label, icon: Icon, keys, startsGroup, isDanger, isCurrent }) => (
            <Fragment key={id}>
              {startsGroup && <Separator className={styles.line ?? ''} />}
              <MenuItem
                id={id}
                textValue={label}
                className={styles.item ?? ''}
                data-danger={isDanger || undefined}
                data-current={isCurrent || undefined}
              >
                <Icon size={18} strokeWidth={1.8} aria-hidden />
                <span>{label}</span>
                {keys && (
                  <kbd aria-hidden dir="ltr">
                    {keyText(keys)}
                  </kbd>
                )}
              </MenuItem>
            </Fragment>
          ))}
        </List>
      </Popover>
    </I18nProvider>
  )
}
