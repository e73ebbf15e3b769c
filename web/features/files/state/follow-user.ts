import { subscribe } from 'valtio'
import { origin } from '#web/api/origin.ts'
import { session } from '#web/shared/session.ts'
import { setClipboard } from './clipboard-state.ts'
import { resetFiles } from './files-state.ts'

let owner: number | undefined

/**
 * Forgets the files of a user when another one signs in. The same user finds them after signing in again. Called once.
 */
export function forgetFilesOfOthers(): void {
  subscribe(
    session,
    () => {
      const id = session.user?.id
      if (id === undefined || id === owner) return
      if (owner !== undefined) {
        // A share looks the same to everybody.
        if (!origin.link) resetFiles()
        setClipboard('copy', [])
      }
      owner = id
    },
    true,
  )
}
