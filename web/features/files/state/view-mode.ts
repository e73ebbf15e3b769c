import { proxy } from 'valtio'
import type { TokenUser } from '#contract/users.ts'
import { readStored } from '#web/shared/preferences.ts'

/** The view mode of visitors without an account, stored on this device. */
export const visitorView = proxy({ mode: readStored('viewMode') })

/** Whether to show cards. Also true for view modes that older versions stored. `user` is undefined for visitors. */
export function isMosaic(user: Pick<TokenUser, 'viewMode'> | undefined): boolean {
  const mode = user ? user.viewMode : visitorView.mode
  return mode !== 'list' && mode !== undefined
}
