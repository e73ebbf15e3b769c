/** The element that had the focus last. */
let last: EventTarget | null = null
/** The element that has got a lost focus, until the user does something. */
let given: Element | undefined
let isWaiting = false

/**
 * Keeps the focus from getting lost. When the element with the focus disappears and no other one takes the focus, the
 * list of the page gets it, or the message instead of it, or else the heading. Called once.
 */
export function watchFocus(): void {
  addEventListener('focusin', ({ target }) => {
    last = target
  })
  for (const input of ['keydown', 'pointerdown'])
    addEventListener(input, () => (given = undefined), { capture: true })
  // After a removal, not every browser sends an event; after hiding, nothing may have been removed.
  addEventListener('focusout', check)
  new MutationObserver(check).observe(document.body, { childList: true, subtree: true })
}

/**
 * Whether a part of the page that appears may take the focus: nothing has it, or only what the page has given it to
 * meanwhile.
 */
export function isFocusFree(): boolean {
  const { activeElement } = document
  return hasNoFocus() || activeElement === given || activeElement?.matches('h1, main') === true
}

function hasNoFocus(): boolean {
  const { activeElement, body } = document
  return !activeElement || activeElement === body
}

function check(): void {
  if (isWaiting || !isLost()) return
  isWaiting = true
  // A dialog or menu that closes gives the focus back in the next frame.
  requestAnimationFrame(() => {
    requestAnimationFrame(() => {
      isWaiting = false
      if (isLost()) focusContent()
    })
  })
}

/** Not after a press beside all controls: then the element is still there. */
function isLost(): boolean {
  if (!hasNoFocus() || !(last instanceof Element)) return false
  return !last.isConnected || !last.checkVisibility({ visibilityProperty: true })
}

/** Focuses the list of the page, or the message instead of it, or else the open file or the heading. */
export function focusContent(): void {
  // A dialog or menu that has just opened takes the focus itself.
  if (document.querySelector('dialog[open], [role=dialog], [role=menu]')) return
  const main = document.querySelector<HTMLElement>('main:not([inert])')
  const list = main?.querySelector<HTMLElement>('[role=grid], [data-message]')
  const heading = main?.matches('[data-part=file]') ? main : main?.querySelector('h1')
  const target = list ?? heading ?? main
  if (!target) return
  if (!target.hasAttribute('tabindex')) target.tabIndex = -1
  target.focus({ preventScroll: true })
  given = target
}
