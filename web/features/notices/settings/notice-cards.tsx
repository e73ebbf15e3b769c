import { useSnapshot } from 'valtio'
import { mayShare, session } from '#web/shared/session.ts'
import { AddressCard } from './address-card.tsx'
import { WebhookCard } from './webhook-card.tsx'

/** The channels of notices besides the page. Only for users who may share. */
export function NoticeCards() {
  const { user } = useSnapshot(session)
  if (!user || !mayShare(user.perm)) return null
  return (
    <>
      <AddressCard isAdmin={user.perm.admin} />
      <WebhookCard />
    </>
  )
}
