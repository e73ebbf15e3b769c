import { useEffect } from 'react'
import { keyOf } from '#web/actions/registry.ts'
import { isPageShortcut } from '#web/overlays/page-key.ts'
import { redoChange, undoChange } from '#web/shared/undo/history.ts'
import { ownEntry } from '#web/ui/format/entry-of.ts'

const undoKeys = { 'Mod+z': undoChange, 'Mod+Shift+z': redoChange, 'Mod+y': redoChange }

/** Undoes and redoes by keyboard on a page that shows no folder but changes files. */
export function useUndoKeys(): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (!isPageShortcut(event)) return
      const reverse = ownEntry<() => Promise<boolean>>(undoKeys, keyOf(event))
      if (!reverse) return
      event.preventDefault()
      void reverse()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
}
