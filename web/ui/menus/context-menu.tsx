import { useLingui } from '@lingui/react/macro'
import { useRef } from 'react'
import { Menu, type MenuChoice } from './menu.tsx'

interface ContextMenuProps {
  question: {
    /** Pixels from the window's upper left corner. */
    x: number
    y: number
    choices: readonly MenuChoice[]
  }
  close(id?: string): void
}

/** The choices at a point of the window; answers the id of what was chosen. Part of the lazy chunk. */
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
        placement="bottom start"
        onChoose={(id) => {
          chosen.current = id
          close(id)
        }}
        onClose={() => {
          // The menu also closes because something was chosen: that answer has been given.
          if (!chosen.current) close()
        }}
      />
    </>
  )
}
