import { useLingui } from '@lingui/react/macro'
import { LogIn, UserRound, UserRoundX } from 'lucide-react'
import { useSnapshot } from 'valtio'
import { PageLink } from '#web/shared/page-link.tsx'
import { currentAddress, paths } from '#web/shared/paths.ts'
import { session } from '#web/shared/session.ts'
import styles from './public-page.module.css'

/** A share that only certain people can open: visitors sign in, and come back to it. */
export function SignInNeeded() {
  const { t } = useLingui()
  const { user } = useSnapshot(session)
  const username = user?.username ?? ''
  const Icon = user ? UserRoundX : UserRound
  return (
    <section className={styles.message}>
      <Icon size={56} strokeWidth={1.25} aria-hidden />
      <h1>
        <span role="alert">
          {user ? t`This link is for other people.` : t`This link is only for certain people.`}
        </span>
      </h1>
      {user ? (
        <p>{t`You are signed in as ${username}. Ask the person who sent it for access.`}</p>
      ) : (
        <>
          <p>{t`Sign in to open it.`}</p>
          <PageLink className={styles.download} to={paths.login(currentAddress())}>
            <LogIn size={18} strokeWidth={1.8} aria-hidden />
            {t`Sign in`}
          </PageLink>
        </>
      )}
    </section>
  )
}
