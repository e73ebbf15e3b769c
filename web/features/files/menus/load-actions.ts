import { loadLater } from '#web/ui/loading/load-later.ts'

let loading: ReturnType<typeof load> | undefined

/**
 * Loads the actions and everything else that the first list does not need, and starts it (`app/later.ts`). Further calls
 * return the same; after a failure, the next call tries again.
 *
 * @throws when the code cannot be fetched. The toolbar shows that as well.
 */
export function loadActions(): ReturnType<typeof load> {
  loading ??= load().catch((error: unknown) => {
    loading = undefined
    throw error
  })
  return loading
}

async function load() {
  // Waits for the messages and styles, too: what is started here may be used at once.
  const views = await loadLater(() => import('#web/app/chunks/later-views.ts'))
  views.startLater()
  return views
}
