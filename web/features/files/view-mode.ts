import { proxy } from 'valtio'
import type { TokenUser } from '#contract/users.ts'
import { recall, remember } from '#web/app/preferences.ts'
import { savePreferences, session } from '#web/app/session.ts'

/** How visitors without an account see folders; this device remembers it. */
export const visitorView = proxy({ mode: recall('viewMode') })

/** Whether this person wants cards; a view that an older product stored is one of those. Undefined: a visitor. */
export function isMosaic(user: Pick<TokenUser, 'viewMode'> | undefined): boolean {
  const mode = user ? user.viewMode : visitorView.mode
  return mode !== 'list' && mode !== undefined
}

/** Shows folders as `mode` from now on. @throws ApiProblem when the server does not take it. */
export async function setView(mode: 'list' | 'mosaic'): Promise<void> {
  if (session.user) return savePreferences({ viewMode: mode })
  visitorView.mode = mode
  remember('viewMode', mode)
}
