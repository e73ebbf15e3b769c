import { useEffect } from 'react'
import { keyOf, runShortcut } from '#web/actions/registry.ts'
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
  if (runShortcut(event, currentContext())) event.preventDefault()
}
