interface Followed {
  isLoading(): boolean
  /** Whether a change in `folder`, or anywhere when it is undefined, may be one of the list. */
  isShown(folder: string | undefined): boolean
  refresh(): Promise<void>
}

/**
 * Refreshes the list after changes. Uploads finish by the hundred: the list follows at most twice a second, and never gives
 * up a call that is under way, because on a slow line no call would ever come to its end.
 */
export function followChanges({ isLoading, isShown, refresh }: Followed) {
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
    hear(folder: string | undefined) {
      if (isShown(folder)) soon()
    },
    /** A call begins, which sees all that has changed so far. */
    forget() {
      clearTimeout(timer)
      timer = undefined
      isBehind = false
    },
    /** A call has ended: what has changed since it began was not in it. */
    goOn() {
      if (isBehind) soon()
      isBehind = false
    },
  }
}
