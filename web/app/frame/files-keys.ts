import { useEffect } from 'react'
import { keyOf, runShortcut } from '#web/actions/registry.ts'
import { loadActions } from '#web/features/files/menus/load-actions.ts'
import { currentContext } from '#web/features/files/state/action-context.ts'
import { files } from '#web/features/files/state/files-state.ts'
import { isPageShortcut } from '#web/overlays/page-key.ts'

/** Keyboard shortcuts of a page that shows a folder; inactive in text fields and while a dialog is open. */
export function useFileShortcuts(): void {
  useEffect(() => {
    addEventListener('keydown', onPageKey)
    return () => removeEventListener('keydown', onPageKey)
  }, [])
}

function onPageKey(event: KeyboardEvent): void {
  if (files.file || !isPageShortcut(event)) return
  // If text is selected, the browser copies the text.
  if (keyOf(event) === 'Mod+c' && document.getSelection()?.toString()) return
  // A held key must not undo one change after the other.
  if (event.repeat && keyOf(event).startsWith('Mod')) return
  if (runShortcut(event, currentContext())) event.preventDefault()
  else void runWhenLoaded(event)
}

// Later, the user no longer expects that a key does something.
const maxWaitMs = 2000

/** The actions of selected items are loaded after the first list. A key that was pressed before waits for them. */
async function runWhenLoaded(event: KeyboardEvent): Promise<void> {
  try {
    await loadActions()
  } catch {
    return // the page shows the failure
  }
  const isRecent = performance.now() - event.timeStamp < maxWaitMs
  if (isRecent && !files.file && isPageShortcut(event)) runShortcut(event, currentContext())
}
