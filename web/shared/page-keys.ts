import { useEffect } from 'react'
import type { ActionContext } from '#web/actions/action.ts'
import { noPermissions, runShortcut } from '#web/actions/registry.ts'
import { isPageShortcut } from '#web/overlays/page-key.ts'
import { session } from './session.ts'

/** The action context of a page without files. A visitor of a share has no account that could lack a permission. */
export function contextWithoutFiles(): ActionContext {
  const { user } = session
  return {
    folder: undefined,
    hasNoFolder: true,
    chosen: [],
    may: user?.perm ?? noPermissions,
    isShare: !user,
  }
}

/**
 * Enables the shortcuts on a page without a folder.
 *
 * @param contextOf the same function at each call: what the shortcuts act on
 */
export function usePageShortcuts(contextOf: () => ActionContext = contextWithoutFiles): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (isPageShortcut(event) && runShortcut(event, contextOf())) event.preventDefault()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [contextOf])
}
