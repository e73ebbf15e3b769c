import { origin } from '#web/api/origin.ts'
import { files, hasFailed, showPath } from '#web/features/files/state/files-state.ts'
import { session } from '#web/shared/session.ts'

/** Notes that the network is lost, and repeats a failed request when it returns. Called once. */
export function refreshWhenOnline(): void {
  addEventListener('offline', () => {
    files.isLost = true
  })
  addEventListener('online', () => {
    // Loading an open file again could close it. The live connection checks whether an open file has changed.
    const mustLoad = hasFailed() || (files.isLost && !files.file)
    files.isLost = false
    if (mustLoad && (session.user || origin.link)) void loadAgain(files.path)
  })
}

/** The first requests after the network has returned may still fail. */
async function loadAgain(path: string, waitMs = 1000): Promise<void> {
  if (files.path !== path) return
  await showPath(path)
  const isLost = files.isLost || files.failure === 'network.lost'
  if (isLost && navigator.onLine && waitMs < 10_000)
    setTimeout(() => void loadAgain(path, 2 * waitMs), waitMs)
}
