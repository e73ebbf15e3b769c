import { Trans, useLingui } from '@lingui/react/macro'
import { HardDrive, Menu, Settings, Trash2, X } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { usePathname } from 'wouter/use-browser-location'
import type { Action, ActionContext } from '#web/actions/action.ts'
import { availableActions, runAction } from '#web/actions/registry.ts'
import { runInCurrentContext } from '#web/features/files/state/action-context.ts'
import { Logo } from '#web/shared/logo.tsx'
import { page } from '#web/shared/page.ts'
import { PageLink } from '#web/shared/page-link.tsx'
import { paths, withoutBase } from '#web/shared/paths.ts'
import { Button } from '#web/ui/button.tsx'
import { lazy } from '#web/ui/lazy.tsx'
import styles from './sidebar.module.css'

const SiteBlock = lazy(async () => (await import('#web/app/chunks/later-site.ts')).SiteBlock)
const DiskUsage = lazy(async () => (await import('#web/app/chunks/later-views.ts')).DiskUsage)

interface SidebarProps {
  context: ActionContext
  username: string
  /** Something covers the sidebar, so it must not get the focus. */
  isBehind?: boolean
}

/** The name of the product and the main navigation. On narrow screens it is a drawer behind the menu button. */
export function Sidebar({ context, username, isBehind = false }: SidebarProps) {
  const { t, i18n } = useLingui()
  const drawer = useRef<HTMLDialogElement>(null)
  const pathname = usePathname()
  // biome-ignore lint/correctness/useExhaustiveDependencies: a change of page closes the drawer.
  useEffect(() => drawer.current?.close(), [pathname])
  const act = (action: Action) => {
    drawer.current?.close()
    void (context.hasNoFolder ? runAction(action, context) : runInCurrentContext(action))
  }
  const links = (
    <>
      <div className={styles.brand}>
        <Logo />
        <span title={page.Name}>{page.Name}</span>
      </div>
      <nav aria-label={t`Main`} className={styles.links}>
        <PageLink
          to={paths.files('/')}
          data-folder="/"
          aria-current={withoutBase(pathname).startsWith('/files') ? 'page' : undefined}
          onClick={() => drawer.current?.close()}
        >
          <HardDrive size={18} strokeWidth={1.8} aria-hidden />
          {t`My files`}
        </PageLink>
        {availableActions(['new-folder', 'new-file', 'upload-files', 'upload-folder'], context).map(
          (action) => (
            <button key={action.id} type="button" onClick={() => act(action)}>
              <action.icon size={18} strokeWidth={1.8} aria-hidden />
              {i18n._(action.label)}
            </button>
          ),
        )}
        <PageLink
          to={paths.trash}
          aria-current={withoutBase(pathname) === paths.trash ? 'page' : undefined}
          onClick={() => drawer.current?.close()}
        >
          <Trash2 size={18} strokeWidth={1.8} aria-hidden />
          {t`Trash`}
        </PageLink>
        {page.StaticGen && (context.may.admin || context.may.publish) && (
          <SiteBlock onAct={() => drawer.current?.close()} />
        )}
      </nav>
      <footer className={styles.foot}>
        <p>
          <Trans>
            Signed in as <bdi title={username}>{username}</bdi>
          </Trans>
        </p>
        <PageLink
          to={paths.profile}
          aria-current={withoutBase(pathname).startsWith('/settings') ? 'page' : undefined}
          onClick={() => drawer.current?.close()}
        >
          <Settings size={18} strokeWidth={1.8} aria-hidden />
          {t`Settings`}
        </PageLink>
        {availableActions(['help', 'sign-out'], context).map((action) => (
          <button key={action.id} type="button" onClick={() => act(action)}>
            <action.icon size={18} strokeWidth={1.8} aria-hidden />
            {i18n._(action.label)}
          </button>
        ))}
        <DiskUsage />
        <p>Coffer {page.Version}</p>
      </footer>
    </>
  )
  return (
    <>
      <aside className={styles.side} data-part="side" inert={isBehind}>
        {links}
      </aside>
      <header className={styles.top} data-part="header" inert={isBehind}>
        <Button
          variant="quiet"
          icon={Menu}
          iconOnly
          label={t`Menu`}
          onClick={() => drawer.current?.showModal()}
        />
        <Logo size={24} />
        <span>{page.Name}</span>
      </header>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes a dialog by itself. */}
      <dialog
        ref={drawer}
        className={styles.drawer}
        aria-label={t`Menu`}
        onClick={(event) => event.target === event.currentTarget && drawer.current?.close()}
      >
        <div className={styles.inner}>
          <Button
            variant="quiet"
            icon={X}
            iconOnly
            className={styles.closer}
            label={t`Close`}
            onClick={() => drawer.current?.close()}
          />
          {links}
        </div>
      </dialog>
    </>
  )
}
