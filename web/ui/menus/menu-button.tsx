import { useRef, useState } from 'react'
import { Button, type ButtonProps } from '#web/ui/button.tsx'
import { lazy } from '#web/ui/lazy.tsx'
import type { MenuChoice, MenuPlacement } from './menu.tsx'

const Menu = lazy(async () => (await import('#web/app/chunks/later-dialogs.ts')).Menu)

interface MenuButtonProps extends ButtonProps {
  choices: readonly MenuChoice[]
  placement?: MenuPlacement
  onChoose(id: string): void
}

/** A button that opens a menu, also with the down arrow. The code of the menu is preloaded on hover or focus. */
export function MenuButton({ choices, placement, onChoose, ...button }: MenuButtonProps) {
  const anchor = useRef<HTMLButtonElement>(null)
  const [isOpen, setOpen] = useState(false)
  const near = () => void Menu.preload()
  return (
    <>
      <Button
        ref={anchor}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        onPointerEnter={near}
        onKeyDown={(event) => {
          if (event.key !== 'ArrowDown' || isOpen) return
          event.preventDefault()
          setOpen(true)
        }}
        onFocus={near}
        {...button}
      />
      {isOpen && (
        <Menu
          label={button.label}
          choices={choices}
          anchor={anchor}
          placement={placement}
          onChoose={onChoose}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  )
}
