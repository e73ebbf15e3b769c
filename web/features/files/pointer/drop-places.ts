import { files } from '#web/features/files/state/files-state.ts'

let highlighted: Element | null = null

/**
 * The element of a folder around `target`. Outside all folders, the page itself, if it shows another folder than `from`, from
 * which the dragged items come.
 */
export function placeUnder(target: EventTarget | null, from: string): Element | null {
  if (!(target instanceof Element)) return null
  const shown = files.folder?.path
  const isOther = shown === files.path && shown !== from
  return target.closest('[data-folder]') ?? (isOther ? target.closest('[data-part=files]') : null)
}

/** The folder of an element of `placeUnder`: decoded, with a closing slash. */
export function folderOf(place: Element): string {
  const path = place.getAttribute('data-folder') ?? files.folder?.path ?? '/'
  return path.endsWith('/') ? path : `${path}/`
}

/** Highlights the element on which a drop would have an effect, and no other. */
export function highlight(next: Element | null): void {
  if (highlighted === next) return
  highlighted?.removeAttribute('data-drop-here')
  next?.setAttribute('data-drop-here', '')
  highlighted = next
}
