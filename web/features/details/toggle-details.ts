import { i18n } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { detailsPanel } from '#web/shared/lists/details-panel.ts'
import { focusList } from '#web/shared/lists/focus-list.ts'
import { writeStored } from '#web/shared/preferences.ts'
import { announce } from '#web/ui/toasts/announce.ts'

/** Shows or hides the panel. Hiding it moves the focus from the panel to the list. */
export function toggleDetails(): void {
  const hasFocus = document.activeElement?.closest('[data-part=details]') != null
  detailsPanel.isOpen = !detailsPanel.isOpen
  writeStored('details', detailsPanel.isOpen ? 'on' : undefined)
  announce(i18n._(detailsPanel.isOpen ? msg`Info opened` : msg`Info closed`))
  if (hasFocus) focusList()
}
