/** Keys that move the focus or the cursor. On-screen keyboards do not have them. */
const movingKeys = /^(Tab$|Arrow|Home$|End$|Page)/

/**
 * Marks the document with `data-keyboard` while the user moves with a keyboard. On touch screens, lists show the ring of
 * the focus only then (`style/base.css`), because the page focuses a list by itself when it opens.
 */
export function watchKeyboard(): void {
  const root = document.documentElement
  addEventListener(
    'keydown',
    ({ key }) => movingKeys.test(key) && root.setAttribute('data-keyboard', ''),
    true,
  )
  addEventListener(
    'pointerdown',
    ({ pointerType }) => pointerType === 'touch' && root.removeAttribute('data-keyboard'),
    true,
  )
}
