import { useSnapshot } from 'valtio'
import { page } from '#web/shared/page.ts'
import { session } from '#web/shared/session.ts'
import { FilesCard } from './files-card.tsx'
import { LanguageCard } from './language-card.tsx'
import { PasswordCard } from './password-card.tsx'
import { SessionsCard } from './sessions-card.tsx'
import { ThemeCard } from './theme-card.tsx'

/** The page on which users change their own settings. */
export function ProfilePage() {
  const { user } = useSnapshot(session)
  if (!user) return null
  return (
    <>
      <LanguageCard locale={user.locale} />
      <ThemeCard theme={user.theme} />
      <FilesCard habits={user} />
      {!user.lockPassword && page.AuthMethod !== 'proxy' && <PasswordCard id={user.id} />}
      <SessionsCard />
    </>
  )
}
