import { useLingui } from '@lingui/react/macro'
import type { LucideIcon } from 'lucide-react'
import type { RefObject } from 'react'
import { I18nProvider, Menu as List, MenuItem, Popover } from 'react-aria-components'
import { keyText } from '#web/ui/format/key-text.ts'
import styles from './menu.module.css'

export interface MenuChoice {
  id: string
  label: string
  icon: LucideIcon
  /** The shortcut of the same action, as in `Mod+c`. */
  keys?: string | undefined
}

interface MenuProps {
  label: string
  choices: readonly MenuChoice[]
  /** The button below which the menu opens. */
  anchor: RefObject<HTMLElement | null>
  placement?: 'bottom end' | 'bottom start'
  onChoose(id: string): void
  onClose(): void
}

/** A menu below a button. Part of the lazy chunk. */
export function Menu({ label, choices, anchor, placement = 'bottom end', onChoose, onClose }: MenuProps) {
  const { i18n } = useLingui()
  return (
    // Uses the page's language, not the browser's, because it determines the text direction.
    <I18nProvider locale={i18n.locale}>
      <Popover
        isOpen
        aria-label={label}
        triggerRef={anchor}
        placement={placement}
        onOpenChange={(isOpen) => !isOpen && onClose()}
        className={styles.popover ?? ''}
        data-part="menu"
      >
        <List
          aria-label={label}
          autoFocus="first"
          onAction={(key) => onChoose(String(key))}
          onClose={onClose}
          className={styles.menu ?? ''}
        >
          {choices.map(({ id, label, icon: Icon, keys }) => (
            <MenuItem key={id} id={id} textValue={label} className={styles.item ?? ''}>
              <Icon size={18} strokeWidth={1.8} aria-hidden />
              <span>{label}</span>
              {keys && <kbd aria-hidden>{keyText(keys)}</kbd>}
            </MenuItem>
          ))}
        </List>
      </Popover>
    </I18nProvider>
  )
}
