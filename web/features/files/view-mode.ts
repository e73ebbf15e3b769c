import type { TokenUser } from '#contract/users.ts'

/** Whether this person wants cards; a view that an older product stored is one of those. */
export function isMosaic(user: Pick<TokenUser, 'viewMode'> | undefined): boolean {
  return user?.viewMode !== 'list' && user?.viewMode !== undefined
}
