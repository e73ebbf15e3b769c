import { useEffect } from 'react'
import type { ActionContext } from '#web/actions/action.ts'
import { nothing, runKey } from '#web/actions/registry.ts'
import { meansPage } from '#web/overlays/page-key.ts'
import { session } from './session.ts'

/** Where actions may act on a page that shows no files. A visitor of a link has no account that could lack a right. */
export function contextWithoutFiles(): ActionContext {
  const { user } = session
  return { folder: undefined, isAway: true, chosen: [], may: user?.perm ?? nothing, isLink: !user }
}

/** The keys of a page that shows no files. */
export function usePageKeys(): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (meansPage(event) && runKey(event, contextWithoutFiles())) event.preventDefault()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
}
