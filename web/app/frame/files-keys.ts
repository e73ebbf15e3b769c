import { useEffect } from 'react'
import { keyOf, runKey } from '#web/actions/registry.ts'
import { contextNow } from '#web/features/files/state/action-context.ts'
import { files } from '#web/features/files/state/files-state.ts'
import { meansPage } from '#web/overlays/page-key.ts'

/** Keyboard shortcuts of a page that shows a folder; inactive in text fields and while a dialog is open. */
export function useFilesKeys(): void {
  useEffect(() => {
    addEventListener('keydown', onPageKey)
    return () => removeEventListener('keydown', onPageKey)
  }, [])
}

function onPageKey(event: KeyboardEvent): void {
  if (files.file || !meansPage(event)) return
  // If text is selected, the browser copies the text.
  if (keyOf(event) === 'Mod+c' && document.getSelection()?.toString()) return
  if (runKey(event, contextNow())) event.preventDefault()
}
