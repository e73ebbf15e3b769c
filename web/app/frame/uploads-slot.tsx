import { useSnapshot } from 'valtio'
import { uploads } from '#web/features/uploads/queue/uploads-state.ts'
import { session } from '#web/shared/session.ts'
import { lazy } from '#web/ui/lazy.tsx'

const UploadsPanel = lazy(async () => (await import('#web/app/chunks/later-uploads.ts')).UploadsPanel)

/** The uploads panel, on every page of a signed-in user. */
export function UploadsSlot() {
  const { user } = useSnapshot(session)
  const { jobs } = useSnapshot(uploads)
  return user && jobs.length > 0 ? <UploadsPanel /> : null
}
