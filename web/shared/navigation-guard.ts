/** Whoever holds something that a change of page would lose. */
interface Guard {
  /** Whether there is something to lose now. */
  isNeeded(): boolean
  /** Asks the person what to do with it; true: go ahead. */
  settle(): Promise<boolean>
}

let guard: Guard | undefined
/** Where the guarded page is, to return there from a step back. */
let place = { address: '', state: null as unknown }
let isAsking = false

/**
 * Has `next` asked before the page shows something else: by a link, by the back button, by another address, and when the
 * tab is closed. The answer ends that.
 */
export function guardNavigation(next: Guard): () => void {
  guard = next
  place = { address: location.href, state: history.state as unknown }
  return () => {
    if (guard === next) guard = undefined
  }
}

/** Listens to the browser's own ways to leave. Before the router does, so that it hears nothing of what is taken back. */
export function watchNavigation(): void {
  addEventListener('popstate', (event) => {
    if (!guard?.isNeeded()) return
    event.stopImmediatePropagation()
    // The address has changed already: ours is put on top of the one that was wanted, which then lies below.
    history.pushState(place.state, '', place.address)
    void whenSettled(() => history.back())
  })
  addEventListener('beforeunload', (event) => {
    if (guard?.isNeeded()) event.preventDefault()
  })
  // A file that is dropped where nothing takes it would be shown instead of the page. Whatever takes files listens later.
  for (const type of ['dragover', 'drop'] as const) addEventListener(type, refuseFiles)
}

function refuseFiles(event: DragEvent): void {
  if (!event.dataTransfer?.types.includes('Files') || event.defaultPrevented) return
  event.preventDefault()
  event.dataTransfer.dropEffect = 'none'
}

/**
 * Does `task`, which changes the page, as soon as nothing is lost by it; never, when the person wants to stay.
 *
 * @throws what `task` does.
 */
export function whenSettled(task: () => void | Promise<void>): void | Promise<void> {
  if (!guard?.isNeeded()) return task()
  if (isAsking) return
  isAsking = true
  return guard
    .settle()
    .then((isSettled) => (isSettled ? task() : undefined))
    .finally(() => {
      isAsking = false
    })
}
