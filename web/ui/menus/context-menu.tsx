import { useLingui } from '@lingui/react/macro'
import { useRef } from 'react'
import { Menu, type MenuChoice } from './menu.tsx'

interface ContextMenuProps {
  question: {
    /** Pixels from the upper left corner of the window. */
    x: number
    y: number
    choices: readonly MenuChoice[]
  }
  close(id?: string): void
}

/** A menu at a point of the window. Closes with the id of the chosen item. Part of the lazy chunk. */
export function ContextMenu({ question: { x, y, choices }, close }: ContextMenuProps) {
  const { t } = useLingui()
  const anchor = useRef<HTMLSpanElement>(null)
  const chosen = useRef<string>(undefined)
  return (
    <>
      <span ref={anchor} aria-hidden style={{ position: 'fixed', left: x, top: y }} />
      <Menu
        label={t`Actions`}
        choices={choices}
        anchor={anchor}
        // Beside the point: a menu that is taller than the room below moves up and stays whole.
        placement="end top"
        onChoose={(id) => {
          chosen.current = id
          close(id)
        }}
        onClose={() => {
          // The menu also closes after a choice, which was already reported.
          if (!chosen.current) close()
        }}
      />
    </>
  )
}
