import { useEffect } from 'react'
import type { ActionContext } from '#web/actions/action.ts'
import { nothing, runKey } from '#web/actions/registry.ts'
import { meansPage } from '#web/overlays/page-key.ts'
import { session } from './session.ts'

/** The action context of a page without files. A visitor of a share has no account that could lack a permission. */
export function contextWithoutFiles(): ActionContext {
  const { user } = session
  return { folder: undefined, isAway: true, chosen: [], may: user?.perm ?? nothing, isLink: !user }
}

/** Enables the shortcuts on a page without files. */
export function usePageKeys(): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (meansPage(event) && runKey(event, contextWithoutFiles())) event.preventDefault()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
}
