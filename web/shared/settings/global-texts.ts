import { msg } from '@lingui/core/macro'
import { page } from '#web/shared/page.ts'
import { paths } from '#web/shared/paths.ts'
import type { FieldText, SectionText } from './setting-text.ts'

const to = paths.global

/** The sections of the settings of the instance, except the defaults of new users. */
export const globalSections = {
  'global.general': { to, title: msg`General` },
  'global.accounts': { to, title: msg`Accounts` },
  'global.files': { to, title: msg`Files` },
  'global.rules': { to, title: msg`Global rules` },
  'global.branding': { to, title: msg`Branding` },
  'global.website': { to, title: msg`Website`, isShown: () => page.StaticGen !== '' },
  'global.keeping': { to, title: msg`Trash and versions` },
  'global.space': { to, title: msg`Space for the trash and versions` },
  'global.sharing': { to, title: msg`Sharing` },
  'global.audit': { to, title: msg`Audit log` },
  'global.commands': { to, title: msg`Command runner` },
} satisfies Record<string, SectionText>

type Section = keyof typeof globalSections

/** The fields of the settings of the instance, except the defaults of new users. */
export const globalFields = {
  'global.signup': {
    section: 'global.accounts',
    label: msg`Allow users to sign up`,
    help: msg`Anyone who can open the sign-in page can then create an account. It gets the user default settings.`,
  },
  'global.createUserDir': {
    section: 'global.accounts',
    label: msg`Create a home folder for each new user`,
    help: msg`It has the name of the user. If you choose another folder for a user, none is created.`,
  },
  'global.hideLoginButton': {
    section: 'global.accounts',
    label: msg`Hide the sign-in link on shared pages`,
    help: msg`Visitors of a shared link then see no link to this instance.`,
  },
  'global.userHomeBasePath': {
    section: 'global.accounts',
    label: msg`Parent folder for home folders`,
    help: msg`The home folders of new users are created in this folder.`,
  },
  'global.minimumPasswordLength': {
    section: 'global.accounts',
    label: msg`Minimum password length`,
    help: msg`Shorter passwords are refused. Existing passwords stay valid.`,
  },
  'global.fileMode': {
    section: 'global.files',
    label: msg`Permissions for new files`,
    help: msg`Rights on the disk of the server. 0640: the owner may write, the group may read.`,
  },
  'global.dirMode': {
    section: 'global.files',
    label: msg`Permissions for new folders`,
    help: msg`Rights on the disk of the server. 0750: the owner may write, the group may open them.`,
  },
  'global.disableExternal': {
    section: 'global.branding',
    label: msg`Disable external links (except documentation)`,
    help: msg`The pages then have no links to other websites.`,
  },
  'global.disableUsedPercentage': {
    section: 'global.branding',
    label: msg`Hide disk usage`,
    help: msg`Users then do not see how full the disk is.`,
  },
  'global.theme': {
    section: 'global.branding',
    label: msg`Theme`,
    help: msg`For visitors, and for users who have chosen no theme.`,
  },
  'global.name': {
    section: 'global.branding',
    label: msg`Instance name`,
    help: msg`Shown on the sign-in page and in the title of the window. Empty: Coffer.`,
  },
  'global.color': {
    section: 'global.branding',
    label: msg`Color of the browser bar`,
    help: msg`Mostly seen on phones. A hex code such as #0f6b62, or an English color name.`,
  },
  'global.brandFiles': {
    section: 'global.branding',
    label: msg`Branding directory path`,
    help: msg`A folder on the server with custom.css, img/logo.svg and img/icons/.`,
  },
  'global.sharingWho': {
    section: 'global.sharing',
    label: msg`Who may create links`,
    help: msg`Links of other users stop working while only administrators may create links.`,
  },
  'global.sharingPassword': {
    section: 'global.sharing',
    label: msg`Links need a password`,
    help: msg`Except for links that only certain people can open. Existing links stay as they are.`,
  },
  'global.sharingUploads': {
    section: 'global.sharing',
    label: msg`Links may receive files`,
    help: msg`If this is off, links for uploading and editing stop working.`,
  },
  'global.sharingLongest': {
    section: 'global.sharing',
    label: msg`Longest life of a link (days)`,
    help: msg`0: links may work forever. Existing links stay as they are.`,
  },
  'global.siteRoot': {
    section: 'global.website',
    label: msg`Website root`,
    help: msg`The folder with the sources of the website.`,
  },
  'global.sitePublic': {
    section: 'global.website',
    label: msg`Public directory`,
    help: msg`The finished website is written here. Must be inside the website root.`,
  },
  'global.siteExe': {
    section: 'global.website',
    label: msg`Executable`,
    help: msg`The program that builds the website: its name, or its full path on the server.`,
  },
  'global.siteArgs': {
    section: 'global.website',
    label: msg`Arguments`,
    help: msg`More options for this program, separated by spaces.`,
  },
  'global.siteClean': {
    section: 'global.website',
    label: msg`Clean before publishing: remove files that the site no longer has`,
    help: msg`Old pages can then no longer be opened by their address.`,
  },
  'global.shell': {
    section: 'global.commands',
    label: msg`Shell for commands`,
    help: msg`The program that runs the lines below, with its options. Empty: they run without a shell.`,
  },
} satisfies Record<string, FieldText & { section: Section }>

const before = msg`Runs before the action. If a command fails, the action is cancelled.`
const after = msg`Runs after the action. If a command fails, the user sees an error, but the action stays done.`
const section = 'global.commands'

/** The commands that run at events, by the name of the event. */
export const hookFields = {
  'global.before_save': { section, label: msg`Before save`, help: before },
  'global.after_save': { section, label: msg`After save`, help: after },
  'global.before_copy': { section, label: msg`Before copy`, help: before },
  'global.after_copy': { section, label: msg`After copy`, help: after },
  'global.before_rename': { section, label: msg`Before rename`, help: before },
  'global.after_rename': { section, label: msg`After rename`, help: after },
  'global.before_upload': { section, label: msg`Before upload`, help: before },
  'global.after_upload': { section, label: msg`After upload`, help: after },
  'global.before_delete': { section, label: msg`Before delete`, help: before },
  'global.after_delete': { section, label: msg`After delete`, help: after },
  'global.before_publish': { section, label: msg`Before publish`, help: before },
  'global.after_publish': { section, label: msg`After publish`, help: after },
} satisfies Record<string, FieldText & { section: Section }>

/** Whether an event has a field. */
export function isHookField(name: string): name is keyof typeof hookFields {
  return Object.hasOwn(hookFields, name)
}
