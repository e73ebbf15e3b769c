import { proxy } from 'valtio'
import type { FolderView, TokenUser } from '#contract/users.ts'
import { readStored } from '#web/shared/preferences.ts'

/** The view mode of visitors without an account, stored on this device. */
export const visitorView = proxy({ mode: readStored('viewMode') })

/**
 * Whether to show cards. Also true for view modes that older versions stored. `user` is undefined for visitors, `view`
 * for folders without a view of their own.
 */
export function isMosaic(user: Pick<TokenUser, 'viewMode'> | undefined, view?: FolderView): boolean {
  const mode = user ? (view?.viewMode ?? user.viewMode) : visitorView.mode
  return mode !== 'list' && mode !== undefined
}
