import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import type { Permissions } from '#contract/users.ts'
import { paths } from '#web/shared/paths.ts'

/** The pages of the settings that a user with these permissions may open. */
export function settingsPages({ admin, share }: Pick<Permissions, 'admin' | 'share'>) {
  const all: [to: string, label: MessageDescriptor, isOffered: boolean][] = [
    [paths.profile, msg`Profile settings`, true],
    [paths.links, msg`Shared links`, admin || share],
    [paths.global, msg`Global settings`, admin],
    [paths.users, msg`User management`, admin],
    [paths.doctor, msg`Health check`, admin],
    [paths.audit, msg`Audit log`, admin],
  ]
  return all.filter(([, , isOffered]) => isOffered).map(([to, label]) => ({ to, label }))
}
