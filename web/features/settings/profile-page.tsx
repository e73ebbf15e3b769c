import type { ReactNode } from 'react'
import { useSnapshot } from 'valtio'
import { page } from '#web/shared/page.ts'
import { session } from '#web/shared/session.ts'
import { PasswordCard } from './password-card.tsx'
import { PreferencesForm } from './preferences-form.tsx'
import { SessionsCard } from './sessions-card.tsx'

interface ProfilePageProps {
  /** Cards of other features, before the list of sessions. */
  children: ReactNode
}

/** The page on which users change their own settings. */
export function ProfilePage({ children }: ProfilePageProps) {
  const { user } = useSnapshot(session)
  if (!user) return null
  return (
    <>
      <PreferencesForm user={user} />
      {!user.lockPassword && page.AuthMethod !== 'proxy' && <PasswordCard id={user.id} />}
      {children}
      <SessionsCard />
    </>
  )
}
