import { useSnapshot } from 'valtio'
import { uploads } from '#web/features/uploads/uploads-state.ts'
import { later } from '#web/ui/later.tsx'
import { session } from './session.ts'

const UploadsPanel = later(async () => (await import('./later-uploads.ts')).UploadsPanel)

/** What is being uploaded, on whatever page its owner is meanwhile. */
export function UploadsSlot() {
  const { user } = useSnapshot(session)
  const { jobs } = useSnapshot(uploads)
  return user && jobs.length > 0 ? <UploadsPanel /> : null
}
