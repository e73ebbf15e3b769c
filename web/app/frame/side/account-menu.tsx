import { useLingui } from '@lingui/react/macro'
import { ChevronsUpDown, CircleUserRound, Settings } from 'lucide-react'
import { useRef, useState } from 'react'
import type { ActionContext } from '#web/actions/action.ts'
import { availableActions, runAction } from '#web/actions/registry.ts'
import { runInCurrentContext } from '#web/features/files/state/action-context.ts'
import { page } from '#web/shared/page.ts'
import { navigateTo, paths } from '#web/shared/paths.ts'
import { lazy } from '#web/ui/lazy.tsx'
import type { MenuChoice } from '#web/ui/menus/menu.tsx'
import styles from './side.module.css'

const Menu = lazy(async () => (await import('#web/app/chunks/later-dialogs.ts')).Menu)

interface AccountMenuProps {
  context: ActionContext
  username: string
  /** Called before the page changes. Closes the drawer on narrow screens. */
  onAct(): void
}

/** The signed-in user: a chip that opens a menu with the settings, the help and Sign out. */
export function AccountMenu({ context, username, onAct }: AccountMenuProps) {
  const { t, i18n } = useLingui()
  const anchor = useRef<HTMLButtonElement>(null)
  const [isOpen, setOpen] = useState(false)
  const actions = availableActions(['palette', 'help', 'sign-out'], context)
  const near = () => void Menu.preload()
  // On phones, all settings begin with the list of their pages.
  const pages: MenuChoice[] = matchMedia('(width < 37.5rem)').matches
    ? [{ id: paths.settings, label: t`Settings`, icon: Settings }]
    : [
        { id: paths.profile, label: t`Profile settings`, icon: CircleUserRound },
        ...(context.may.admin ? [{ id: paths.global, label: t`Global settings`, icon: Settings }] : []),
      ]
  const choices: MenuChoice[] = [
    ...pages,
    ...actions.map(({ id, label, icon }, n) => ({
      id,
      icon,
      label: i18n._(label),
      startsGroup: n === 0 || id === 'sign-out',
    })),
  ]
  const choose = (id: string) => {
    const action = actions.find((one) => one.id === id)
    onAct()
    if (!action) navigateTo(id)
    else void (context.hasNoFolder ? runAction(action, context) : runInCurrentContext(action))
  }
  return (
    <>
      <button
        ref={anchor}
        type="button"
        className={styles.account}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        data-full={`${username}, Coffer ${page.Version}`}
        onClick={() => setOpen(!isOpen)}
        onPointerEnter={near}
        onFocus={near}
      >
        <i aria-hidden style={{ '--hue': hueOf(username) } as React.CSSProperties}>
          {[...username][0]?.toUpperCase()}
        </i>
        <span className="visually-hidden">{t`Account: ${username}`}</span>
        <span aria-hidden>
          <bdi>{username}</bdi>
          <small>Coffer {page.Version}</small>
        </span>
        <ChevronsUpDown size={16} aria-hidden />
      </button>
      {isOpen && (
        <Menu
          label={t`Account: ${username}`}
          choices={choices}
          anchor={anchor}
          placement="top start"
          onChoose={choose}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  )
}

/** A colour for the user, always the same one: the hue in degrees. */
function hueOf(name: string): number {
  let sum = 0
  for (const letter of name) sum = (sum * 31 + (letter.codePointAt(0) ?? 0)) % 360
  return sum
}
