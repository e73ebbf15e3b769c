interface Followed {
  isLoading(): boolean
  /** Whether a change in `folder` may concern the list; undefined means a change anywhere. */
  isShown(folder: string | undefined): boolean
  refresh(): Promise<void>
}

/**
 * Refreshes the list after changes. Uploads finish by the hundred, so it refreshes at most every 400 ms. It never
 * aborts a running request, because on a slow connection no request would ever finish.
 */
export function createChangeFollower({ isLoading, isShown, refresh }: Followed) {
  let timer: ReturnType<typeof setTimeout> | undefined
  let isBehind = false
  const soon = () => {
    timer ??= setTimeout(() => {
      timer = undefined
      if (isLoading()) isBehind = true
      else void refresh()
    }, 400)
  }
  return {
    /** Called after a change in these folders; undefined: anywhere. */
    hear(folders: readonly string[] | undefined) {
      if ((folders ?? [undefined]).some(isShown)) soon()
    },
    /** Called when a request starts: its response contains all changes so far. */
    onRequestStart() {
      clearTimeout(timer)
      timer = undefined
      isBehind = false
    },
    /** Called when a request ends: its response may lack changes made since it started. */
    onRequestEnd() {
      if (isBehind) soon()
      isBehind = false
    },
  }
}
