import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import {
  CircleUserRound,
  HeartPulse,
  Link2,
  type LucideIcon,
  ScrollText,
  ShieldAlert,
  SlidersHorizontal,
  UsersRound,
} from 'lucide-react'
import type { Permissions } from '#contract/users.ts'
import { page } from '#web/shared/page.ts'
import { paths } from '#web/shared/paths.ts'
import { mayShare } from '#web/shared/session.ts'

/** A page of the settings. */
export interface SettingsPage {
  /** The address, without the base path. */
  to: string
  label: MessageDescriptor
  icon: LucideIcon
  /** What can be done there. */
  help: MessageDescriptor
}

/** The pages of the settings that a user with these permissions may open. */
export function settingsPages(perm: Permissions): SettingsPage[] {
  const { admin } = perm
  const all: (SettingsPage & { isOffered: boolean })[] = [
    {
      to: paths.profile,
      label: msg`Profile settings`,
      icon: CircleUserRound,
      help: msg`Language, theme, lists of files, password`,
      isOffered: true,
    },
    {
      to: paths.links,
      label: msg`Shared links`,
      icon: Link2,
      help: msg`Copy or delete links that were shared`,
      isOffered: mayShare(perm),
    },
    {
      to: paths.held,
      label: msg`Held files`,
      icon: ShieldAlert,
      help: msg`Files that the virus scanner has not passed`,
      isOffered: page.Scanner === 'all' || (page.Scanner !== '' && (admin || mayShare(perm))),
    },
    {
      to: paths.global,
      label: msg`Global settings`,
      icon: SlidersHorizontal,
      help: msg`Accounts, branding, trash and versions for everyone`,
      isOffered: admin,
    },
    {
      to: paths.users,
      label: msg`User management`,
      icon: UsersRound,
      help: msg`Create users, and decide what they may do`,
      isOffered: admin,
    },
    {
      to: paths.doctor,
      label: msg`Health check`,
      icon: HeartPulse,
      help: msg`Find faults of this installation`,
      isOffered: admin,
    },
    {
      to: paths.audit,
      label: msg`Audit log`,
      icon: ScrollText,
      help: msg`See who did what, and when`,
      isOffered: admin,
    },
  ]
  return all.filter(({ isOffered }) => isOffered)
}
