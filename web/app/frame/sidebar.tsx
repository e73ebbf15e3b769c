import { useLingui } from '@lingui/react/macro'
import { Menu, PanelLeft, X } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { useSnapshot } from 'valtio'
import { usePathname } from 'wouter/use-browser-location'
import type { ActionContext } from '#web/actions/action.ts'
import { loadActions } from '#web/features/files/menus/load-actions.ts'
import { Logo } from '#web/shared/logo.tsx'
import { page } from '#web/shared/page.ts'
import { Button } from '#web/ui/button.tsx'
import { lazy } from '#web/ui/lazy.tsx'
import { AccountMenu } from './side/account-menu.tsx'
import { NewButton } from './side/new-button.tsx'
import { Places, showCurrentPlace } from './side/places.tsx'
import { side, toggleSide } from './side/side-state.ts'
import styles from './sidebar.module.css'

const SideFoot = lazy(async () => (await import('#web/app/chunks/later-views.ts')).SideFoot)

interface SidebarProps {
  context: ActionContext
  username: string
  /** Something covers the sidebar, so it must not get the focus. */
  isBehind?: boolean
}

/** The edge that changes the width. Not needed before the list. */
const SideEdge = lazy(async () => (await import('#web/app/chunks/later-views.ts')).SideEdge)

/**
 * The places of the user, the button New and the account. On narrow screens it is a drawer behind the menu button, and
 * New is a round button above the list.
 */
export function Sidebar({ context, username, isBehind = false }: SidebarProps) {
  const { t } = useLingui()
  const { width, isCollapsed } = useSnapshot(side)
  const drawer = useRef<HTMLDialogElement>(null)
  const pathname = usePathname()
  const close = () => drawer.current?.close()
  // biome-ignore lint/correctness/useExhaustiveDependencies: a change of page closes the drawer.
  useEffect(close, [pathname])
  // All pages of a signed-in user have a sidebar. Without the actions, they still work.
  useEffect(() => void loadActions().catch(() => undefined), [])
  const content = (
    <>
      <div className={styles.inside}>
        <NewButton context={context} onAct={close} />
        <Places context={context} onAct={close} />
      </div>
      <footer className={styles.foot}>
        <SideFoot onAct={close} />
        <AccountMenu context={context} username={username} onAct={close} />
      </footer>
    </>
  )
  return (
    <>
      <aside
        className={styles.side}
        style={{ '--side': `${width}px` } as React.CSSProperties}
        data-part="side"
        data-collapsed={isCollapsed || undefined}
        inert={isBehind}
      >
        <div className={styles.brand}>
          <Logo />
          <span data-full={page.Name}>{page.Name}</span>
          <Button
            variant="quiet"
            icon={PanelLeft}
            iconOnly
            className={styles.collapse}
            label={isCollapsed ? t`Show the sidebar` : t`Hide the sidebar`}
            aria-expanded={!isCollapsed}
            onClick={toggleSide}
          />
        </div>
        {content}
        <SideEdge />
      </aside>
      <header className={styles.top} data-part="header" inert={isBehind}>
        <Button
          variant="quiet"
          icon={Menu}
          iconOnly
          label={t`Menu`}
          onClick={() => {
            drawer.current?.showModal()
            showCurrentPlace(drawer.current)
          }}
        />
        <Logo size={24} />
        <span>{page.Name}</span>
      </header>
      {!context.hasNoFolder && <NewButton context={context} isRound isBehind={isBehind} />}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes a dialog by itself. */}
      <dialog
        ref={drawer}
        className={styles.drawer}
        aria-label={t`Menu`}
        onClick={(event) => event.target === event.currentTarget && close()}
      >
        <div className={styles.inner}>
          <div className={styles.brand}>
            <Logo />
            <span data-full={page.Name}>{page.Name}</span>
            <Button variant="quiet" icon={X} iconOnly label={t`Close`} onClick={close} />
          </div>
          {content}
        </div>
      </dialog>
    </>
  )
}
