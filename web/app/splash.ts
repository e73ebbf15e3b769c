import { i18n, type MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { entryOf } from '#web/ui/format/entry-of.ts'

/** How long what is seen before the page is there stays after it, in milliseconds. */
const afterMs = 200

function splash(): HTMLElement | null {
  return document.getElementById('splash')
}

/** The page is there: what was seen in its place goes. */
export function endSplash(): void {
  setTimeout(() => splash()?.remove(), afterMs)
}

/** The page could not be begun: in its place stands why, in the person's language if its words have come. */
export function tellLost(error: unknown): void {
  reportError(error)
  const place = splash()
  if (!place) return
  say(place.querySelector('p'), msg`Can't reach the server. Check your connection and try again.`)
  say(place.querySelector('a'), msg`Try again`)
  place.setAttribute('role', 'alert')
  place.dataset.lost = ''
}

function say(element: Element | null, words: MessageDescriptor): void {
  if (element && entryOf(i18n.messages, words.id)) element.textContent = i18n._(words)
}
