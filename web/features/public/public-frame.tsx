import { useLingui } from '@lingui/react/macro'
import { LogIn } from 'lucide-react'
import type { ReactNode } from 'react'
import { useSnapshot } from 'valtio'
import { ActionButton } from '#web/actions/action-button.tsx'
import { availableActions, runAction } from '#web/actions/registry.ts'
import { Logo } from '#web/shared/logo.tsx'
import { page } from '#web/shared/page.ts'
import { contextWithoutFiles } from '#web/shared/page-keys.ts'
import { PageLink } from '#web/shared/page-link.tsx'
import { currentAddress, paths } from '#web/shared/paths.ts'
import { session } from '#web/shared/session.ts'
import { Name } from '#web/ui/name.tsx'
import styles from './public-page.module.css'

interface PublicFrameProps {
  /** Undefined: the name of the instance. */
  title: string | undefined
  /** The page to open after sign-in or sign-up; undefined: the current one. */
  target?: string
  /** Another page covers this one. */
  isBehind?: boolean
  children: ReactNode
}

/** The frame of public pages: the name of the instance, and links to sign in and sign up. */
export function PublicFrame({
  title,
  target = currentAddress(),
  isBehind = false,
  children,
}: PublicFrameProps) {
  const { t } = useLingui()
  const { user } = useSnapshot(session)
  return (
    <div className={styles.page} inert={isBehind}>
      <title>{title ? `${title} – ${page.Name}` : page.Name}</title>
      <header>
        <Logo />
        <span>
          <Name name={page.Name} />
        </span>
        <nav aria-label={t`Main`} className={styles.ways}>
          {user && <PageLink to={paths.files('/')}>{t`My files`}</PageLink>}
          {!user && page.LoginPage && page.Signup && (
            <PageLink to={paths.signUp(target)}>{t`Sign up`}</PageLink>
          )}
          {!user && page.LoginPage && !page.HideLoginButton && (
            <PageLink to={paths.login(target)}>
              <LogIn size={18} strokeWidth={1.8} aria-hidden />
              {t`Sign in`}
            </PageLink>
          )}
          {availableActions(['help'], contextWithoutFiles()).map((action) => (
            <ActionButton
              key={action.id}
              action={action}
              onClick={() => void runAction(action, contextWithoutFiles())}
            />
          ))}
        </nav>
      </header>
      <main>{children}</main>
      <footer>Coffer {page.Version}</footer>
    </div>
  )
}
