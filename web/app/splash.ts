import { i18n, type MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { ownEntry } from '#web/ui/format/entry-of.ts'

/** How long the splash screen stays after the page was rendered, in milliseconds. */
const afterMs = 200

function splash(): HTMLElement | null {
  return document.getElementById('splash')
}

/** Removes the splash screen after the page was rendered. */
export function endSplash(): void {
  setTimeout(() => splash()?.remove(), afterMs)
}

/** Shows on the splash screen that the page failed to start, in the user's language if its messages are loaded. */
export function showStartError(error: unknown): void {
  reportError(error)
  const container = splash()
  if (!container) return
  say(container.querySelector('p'), msg`Can't reach the server. Check your connection and try again.`)
  say(container.querySelector('a'), msg`Try again`)
  container.setAttribute('role', 'alert')
  container.dataset.lost = ''
}

function say(element: Element | null, words: MessageDescriptor): void {
  if (element && ownEntry(i18n.messages, words.id)) element.textContent = i18n._(words)
}
