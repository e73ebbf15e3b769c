import type { ShareRights, SharingPolicy } from '#contract/shares.ts'
import { page } from '#web/shared/page.ts'
import { type Draft, newDraft, peopleIn } from './draft.ts'
import { type Lifetime, offeredSeconds } from './lifetime.ts'
import { receives } from './rights.ts'

/** What the administrator allows. */
export function policyNow(): SharingPolicy {
  return page.Sharing
}

/** Whether links may have these rights. */
export function allowsRights(rights: ShareRights): boolean {
  return policyNow().uploads || !receives(rights)
}

/** Whether links may have this lifetime. Typed ones are checked by their fields and by the server. */
export function allowsLifetime(lifetime: Lifetime): boolean {
  const { longest } = policyNow()
  if (longest === 0) return true
  if (lifetime === 'never') return false
  return !isOffered(lifetime) || offeredSeconds[lifetime] <= longest * offeredSeconds.day
}

function isOffered(lifetime: Lifetime): lifetime is keyof typeof offeredSeconds {
  return lifetime in offeredSeconds
}

/** The fields of a new link that the policy allows. */
export function firstDraft(): Draft {
  const { longest } = policyNow()
  if (longest === 0) return newDraft
  return allowsLifetime('week')
    ? { ...newDraft, lifetime: 'week' }
    : { ...newDraft, lifetime: 'time', length: String(longest), lengthUnit: 'days' }
}

/** Whether these fields need a password. */
export function needsPassword(draft: Pick<Draft, 'people' | 'person'>): boolean {
  return policyNow().password && peopleIn(draft).length === 0
}
