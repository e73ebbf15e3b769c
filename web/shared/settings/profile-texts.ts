import { msg } from '@lingui/core/macro'
import { page } from '#web/shared/page.ts'
import { paths } from '#web/shared/paths.ts'
import type { FieldText, SectionText } from './setting-text.ts'

const to = paths.profile

/** The sections of the user's own settings. */
export const profileSections = {
  'profile.languages': { to, title: msg`Language` },
  'profile.themes': { to, title: msg`Theme` },
  'profile.files': { to, title: msg`Files` },
  'profile.passwords': {
    to,
    title: msg`Change password`,
    isShown: ({ lockPassword }) => !lockPassword && page.AuthMethod !== 'proxy',
  },
  'profile.sessions': { to, title: msg`Where you are signed in` },
} satisfies Record<string, SectionText>

type Section = keyof typeof profileSections
type ProfileText = FieldText & { section: Section }

/** The fields of the user's own settings. */
export const profileFields = {
  'profile.locale': {
    section: 'profile.languages',
    label: msg`Language`,
    help: msg`The language of the page, also for dates and numbers.`,
  },
  'profile.theme': {
    section: 'profile.themes',
    label: msg`Theme`,
    help: msg`“Match device” follows the theme of your device.`,
  },
  'profile.singleClick': {
    section: 'profile.files',
    label: msg`Open with a single click`,
    help: msg`A click opens an item instead of selecting it.`,
  },
  'profile.dateFormat': {
    section: 'profile.files',
    label: msg`Show exact dates`,
    help: msg`Date and time, instead of words such as “3 hours ago”.`,
  },
  'profile.hideDotfiles': {
    section: 'profile.files',
    label: msg`Hide names that begin with a dot`,
    help: msg`Programs keep their own settings in such files. Nothing is deleted.`,
  },
  'profile.redirectAfterCopyMove': {
    section: 'profile.files',
    label: msg`Open the destination folder after creating, moving or copying`,
    help: msg`Takes you to the items in their new folder.`,
  },
  'profile.askBeforeTrash': {
    section: 'profile.files',
    label: msg`Ask before moving items to the trash`,
    help: msg`Deleted items can be restored from the trash.`,
  },
  'profile.rememberViews': {
    section: 'profile.files',
    label: msg`Remember view and order for each folder`,
    help: msg`A change of view or order then applies only to the folder that you see.`,
  },
  'profile.density': {
    section: 'profile.files',
    label: msg`Row height`,
    help: msg`Compact rows show more files at once.`,
  },
  'profile.sizeUnit': {
    section: 'profile.files',
    label: msg`Sizes`,
    help: msg`Operating systems often count with 1024, makers of disks with 1000.`,
  },
  'profile.dateStyle': {
    section: 'profile.files',
    label: msg`Dates`,
    help: msg`How exact dates are written.`,
  },
  'profile.firstDay': {
    section: 'profile.files',
    label: msg`First day of the week`,
    help: msg`Decides when “This week” begins, in the list of recent files and in filters.`,
  },
  'profile.password': {
    section: 'profile.passwords',
    label: msg`New password`,
    help: msg`Several words are long enough and easy to remember.`,
  },
  'profile.confirm': {
    section: 'profile.passwords',
    label: msg`Confirm new password`,
    help: msg`Enter the new password again.`,
  },
} satisfies Record<string, ProfileText>
