import { proxy } from 'valtio'
import type { TokenUser } from '#contract/users.ts'
import { recall } from '#web/shared/preferences.ts'

/** How visitors without an account see folders; this device remembers it. */
export const visitorView = proxy({ mode: recall('viewMode') })

/** Whether this person wants cards; a view that an older product stored is one of those. Undefined: a visitor. */
export function isMosaic(user: Pick<TokenUser, 'viewMode'> | undefined): boolean {
  const mode = user ? user.viewMode : visitorView.mode
  return mode !== 'list' && mode !== undefined
}
