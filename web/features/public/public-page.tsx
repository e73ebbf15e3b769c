import { useLingui } from '@lingui/react/macro'
import { LogIn } from 'lucide-react'
import { useEffect } from 'react'
import { useSnapshot } from 'valtio'
import { usePathname } from 'wouter/use-browser-location'
import { Logo } from '#web/app/logo.tsx'
import { page } from '#web/app/page.ts'
import { PageLink } from '#web/app/page-link.tsx'
import { here, paths } from '#web/app/paths.ts'
import { session } from '#web/app/session.ts'
import { PasswordForm } from './password-form.tsx'
import styles from './public-page.module.css'
import { look, shareIn, visit } from './public-state.ts'
import { SharedFile } from './shared-file.tsx'
import { SharedFolder } from './shared-folder.tsx'
import { Unreachable } from './unreachable.tsx'

/** What a link leads to, for anybody who has it; nothing of the product around it but the way in. */
export function PublicPage() {
  const { t } = useLingui()
  const { user } = useSnapshot(session)
  const { view, failure } = useSnapshot(visit)
  const { hash, path } = shareIn(usePathname()) ?? {}
  useEffect(() => {
    if (hash !== undefined && path !== undefined) void look(hash, path)
  }, [hash, path])
  return (
    <div className={styles.page}>
      <title>{view?.name ? `${view.name} – ${page.Name}` : page.Name}</title>
      <header>
        <Logo />
        <span>{page.Name}</span>
        <nav aria-label={t`Main`} className={styles.ways}>
          {user && <PageLink to={paths.files('/')}>{t`My files`}</PageLink>}
          {!user && page.LoginPage && page.Signup && (
            <PageLink to={paths.signUp(here())}>{t`Sign up`}</PageLink>
          )}
          {!user && page.LoginPage && !page.HideLoginButton && (
            <PageLink to={paths.login(here())}>
              <LogIn size={18} strokeWidth={1.8} aria-hidden />
              {t`Sign in`}
            </PageLink>
          )}
        </nav>
      </header>
      <main>{content()}</main>
      <footer>Coffer {page.Version}</footer>
    </div>
  )

  function content() {
    if (hash === undefined || path === undefined) return <Unreachable code="share.unknown" />
    if (failure === 'share.password' || failure === 'auth.limited') {
      return (
        <PasswordForm isLimited={failure === 'auth.limited'} onPassword={(text) => look(hash, path, text)} />
      )
    }
    if (failure) return <Unreachable code={failure} />
    const { view } = visit
    if (!view) return null
    if (view.kind === 'listing') return <SharedFolder key={view.path} folder={view} hash={hash} />
    return <SharedFile file={view} hash={hash} isInside={path.length > 1} />
  }
}
