import { msg } from '@lingui/core/macro'
import { page } from '#web/shared/page.ts'
import { paths } from '#web/shared/paths.ts'
import type { FieldText, SectionText } from './setting-text.ts'

/** The sections with the fields of a user: in the page of a user, and for the defaults of new users. */
export const userSections = {
  'user.fields': { to: paths.newUser, title: msg`New user` },
  'user.permissions': { to: paths.newUser, title: msg`Permissions` },
  'user.rules': { to: paths.newUser, title: msg`Rules` },
  // A new user has no sessions yet, so it leads to the list of users.
  'user.sessions': { to: paths.users, title: msg`Where this user is signed in` },
  'defaults.fields': { to: paths.global, title: msg`User default settings` },
  'defaults.permissions': { to: paths.global, title: msg`Permissions` },
} satisfies Record<string, SectionText>

/** The fields of a user that the defaults of new users have, too. */
const common = {
  scope: {
    label: msg`Home folder`,
    help: msg`The folder shown as “My files”. Everything outside it is invisible.`,
  },
  locale: { label: msg`Language`, help: msg`The user can choose another one in the profile.` },
  role: { label: msg`Role`, help: msg`Sets the permissions below.` },
  admin: {
    label: msg`Administrator`,
    help: msg`May do everything, also change these settings and all users.`,
  },
  create: { label: msg`Create files and folders`, help: msg`Includes uploading.` },
  delete: { label: msg`Delete files and folders`, help: msg`Deleted items go to the trash, if it is on.` },
  download: { label: msg`Download`, help: msg`Save files on a device, and see pictures and other previews.` },
  modify: { label: msg`Edit files`, help: msg`Change or replace their content.` },
  execute: { label: msg`Execute commands`, help: msg`Only the programs that are allowed under Advanced.` },
  rename: { label: msg`Rename or move files and folders`, help: msg`Also with drag and drop.` },
  share: { label: msg`Share files`, help: msg`Create links that work without an account.` },
  publish: {
    label: msg`Publish posts and pages`,
    help: msg`Build the website, now or at a time.`,
    isShown: () => page.StaticGen !== '',
  },
  commands: {
    label: msg`Allowed commands, separated by spaces`,
    help: msg`Names of programs on the server. Empty: none.`,
  },
} satisfies Record<string, Omit<FieldText, 'section'>>

type Common = keyof typeof common
export type UserFieldName = `${'user' | 'defaults'}.${Common}`

/** The fields of a user, and of the defaults of new users. */
export const userFields = {
  'user.username': {
    section: 'user.fields',
    label: msg`Username`,
    help: msg`The name to sign in with. It can be changed later.`,
  },
  'user.password': {
    section: 'user.fields',
    label: msg`Password`,
    help: msg`The user can change the password in the profile.`,
  },
  'user.lockPassword': {
    section: 'user.fields',
    label: msg`Prevent the user from changing the password`,
    help: msg`For an account that several people use.`,
  },
  ...fieldsOf('user'),
  ...fieldsOf('defaults'),
}

const ofRule = {
  regex: msg`Regex`,
  allow: msg`Allow`,
  rulePath: msg`Path`,
  pattern: msg`Regular expression`,
  trial: msg`Try it`,
}

export type RuleFieldName = `${'user' | 'global'}.${keyof typeof ofRule}`

/** Explains all fields of the rules at once. */
export const ruleHelp = msg`Paths are relative to the user's folder. The last matching rule applies.`

/** The fields of the rules of a user, and of the global rules. */
export const ruleFields = { ...rulesOf('user'), ...rulesOf('global') }

function rulesOf(where: 'user' | 'global') {
  const section = `${where}.rules`
  return Object.fromEntries(
    Object.entries(ofRule).map(([name, label]) => [`${where}.${name}`, { section, label, help: ruleHelp }]),
  ) as Record<RuleFieldName, FieldText>
}

function fieldsOf(where: 'user' | 'defaults') {
  const section = `${where}.fields`
  return Object.fromEntries(
    Object.entries(common).map(([name, text]) => [`${where}.${name}`, { section, ...text }]),
  ) as Record<UserFieldName, FieldText>
}
