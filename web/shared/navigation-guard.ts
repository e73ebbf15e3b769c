import { backEntry } from '#web/ui/layers/back-entry.ts'

/** A form or editor with data that a change of the page would lose. */
interface Guard {
  /** Whether there are unsaved changes now. */
  isNeeded(): boolean
  /** Asks the user what to do with them. Resolves to true if the navigation may continue. */
  resolveUnsaved(): Promise<boolean>
}

let guard: Guard | undefined
/** The address of the guarded page, to restore it after a step back. */
let guarded = { address: '', state: null as unknown }
let isAsking = false

/**
 * Consults `next` before the page changes: by a link, the back button, a new address, or closing the tab. Returns a
 * function that removes the guard.
 */
export function guardNavigation(next: Guard): () => void {
  guard = next
  guarded = { address: location.href, state: backEntry.isCurrent ? null : (history.state as unknown) }
  return () => {
    if (guard === next) guard = undefined
  }
}

/** Handles the browser's own navigation. Must be called before the router, which then does not see cancelled steps. */
export function watchNavigation(): void {
  addEventListener('popstate', (event) => {
    // A step back that only closes a menu or dialog stays on the page.
    if (!guard?.isNeeded() || backEntry.isCurrent) return
    event.stopImmediatePropagation()
    // The address has changed already. The guarded address is pushed on top of the requested one.
    history.pushState(guarded.state, '', guarded.address)
    void afterUnsavedCheck(() => history.back())
  })
  addEventListener('beforeunload', (event) => {
    if (guard?.isNeeded()) event.preventDefault()
  })
  // A file dropped outside a drop target would replace the page. Real drop targets register their listeners later.
  for (const type of ['dragover', 'drop'] as const) addEventListener(type, refuseFiles)
}

function refuseFiles(event: DragEvent): void {
  if (!event.dataTransfer?.types.includes('Files') || event.defaultPrevented) return
  event.preventDefault()
  event.dataTransfer.dropEffect = 'none'
}

/**
 * Runs `task`, which changes the page, once no unsaved changes would be lost; never if the user decides to stay.
 *
 * @throws the errors of `task`.
 */
export function afterUnsavedCheck(task: () => void | Promise<void>): void | Promise<void> {
  if (!guard?.isNeeded()) return task()
  if (isAsking) return
  isAsking = true
  return guard
    .resolveUnsaved()
    .then((isSettled) => (isSettled ? task() : undefined))
    .finally(() => {
      isAsking = false
    })
}
