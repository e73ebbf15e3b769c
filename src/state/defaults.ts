// Every default value of the state. The defaults of the start options are in `config/options/`.
import type { AuditSettings } from '#contract/history/audit.ts'
import type { KeepingSettings } from '#contract/history/kept.ts'
import type { SiteGenerator, StaticGen } from '#contract/publish.ts'
import type { SharingPolicy } from '#contract/shares.ts'
import type { Permissions, Preferences } from '#contract/users.ts'
import type { SettingsRecord } from './state.ts'

/** No permission, which is the default of each one. */
export const noPermissions: Permissions = {
  admin: false,
  execute: false,
  create: false,
  rename: false,
  modify: false,
  delete: false,
  share: false,
  download: false,
}

/** The permissions of an administrator. */
export const allPermissions: Permissions = {
  admin: true,
  execute: true,
  create: true,
  rename: true,
  modify: true,
  delete: true,
  share: true,
  download: true,
}

const preferences: Preferences = {
  locale: '',
  viewMode: 'list',
  sorting: { by: 'name', asc: false },
  singleClick: false,
  hideDotfiles: false,
  dateFormat: false,
  aceEditorTheme: '',
  redirectAfterCopyMove: false,
  theme: '',
}

/** The events that commands can be bound to. Settings always have all of them (contract/compatibility.md#settings). */
export const hookEvents = ['save', 'copy', 'rename', 'upload', 'delete'].flatMap((name) => [
  `before_${name}`,
  `after_${name}`,
])

/** Scope, permissions and preferences of the first administrator. */
export const firstUser = { scope: '/', perm: allPermissions, ...preferences }

/** Returns the settings of a new instance. New users can work with files and nothing more. */
export function newSettings(): SettingsRecord {
  return {
    signup: false,
    hideLoginButton: false,
    createUserDir: false,
    userHomeBasePath: '/users',
    minimumPasswordLength: 12,
    fileMode: 0o640,
    dirMode: 0o750,
    defaults: {
      scope: '.',
      perm: { ...allPermissions, admin: false, execute: false },
      commands: [],
      ...preferences,
    },
    rules: [],
    branding: {
      name: '',
      disableExternal: false,
      disableUsedPercentage: false,
      files: '',
      theme: '',
      followDevice: false,
      color: '',
    },
    tus: { chunkSize: 10 * 1024 * 1024, retryCount: 5 },
    shell: [],
    commands: Object.fromEntries(hookEvents.map((name) => [name, []])),
  }
}

/** The settings that hold until an administrator changes them. */
export const defaultKeeping: KeepingSettings = {
  trash: true,
  days: 30,
  share: 10,
  userShare: 10,
  versions: true,
  versionSize: 0,
  withoutVersions: [],
}

/** The settings that hold until an administrator changes them. */
export const defaultAudit: AuditSettings = { days: 365, megabytes: 1024 }

/** What users may share until an administrator changes it. */
export const defaultSharing: SharingPolicy = { password: false, longest: 0, uploads: true, who: 'permitted' }

/** The settings of a website that no administrator has changed yet: the served folder is the site. */
export function defaultSite(generator: SiteGenerator): StaticGen {
  const hugo = { Root: '/', Public: '/public', Exe: 'hugo', Args: [], CleanPublic: true }
  return generator === 'hugo' ? hugo : { ...hugo, Public: '/_site', Exe: 'jekyll', Args: ['build'] }
}
