import { proxy } from 'valtio'
import type { StaticGen } from '#contract/publish.ts'
import type { SettingsView } from '#contract/settings.ts'
import { api } from '#web/api/client.ts'
import { problemMessage } from '#web/api/problems/problem-text.ts'
import type { Proof } from '#web/shared/forms/submit.ts'
import { normalizeRule, splitWords, type UserDraft } from '#web/shared/forms/user-draft.ts'
import { page, pageChanges } from '#web/shared/page.ts'
import { session } from '#web/shared/session.ts'
import { applyTheme, colorWindow } from '#web/shared/theme.ts'
import { showToast } from '#web/ui/toasts/toasts.ts'

interface Draft {
  settings: SettingsView
  /** The shell command with its arguments, as one line. */
  shell: string
  /** The arguments of the website's generator, as one line. */
  siteArgs: string
  /** Command lines by event, one command per line. */
  commands: Record<string, string>
  defaults: UserDraft
}

export const settingsState = proxy({
  /** The edited settings; undefined until they are loaded. */
  draft: undefined as Draft | undefined,
  /** Whether the saved settings give new users access to all files. */
  isRootOpen: false,
  /** Whether the saved branding folder differs from the one with which this page was loaded. */
  isBrandingOutdated: false,
})
let brandFolder = ''

/** Converts settings to a draft for the form. */
export function draftOf(settings: SettingsView): Draft {
  const { shell, commands, defaults } = settings
  const { perm, scope, locale } = defaults
  return {
    settings,
    shell: shell.join(' '),
    siteArgs: settings.staticGen?.Args.join(' ') ?? '',
    commands: Object.fromEntries(Object.entries(commands).map(([event, lines]) => [event, lines.join('\n')])),
    defaults: {
      ...{ username: '', password: '', lockPassword: false, rules: [] },
      ...{ perm, scope, locale, commands: defaults.commands.join(' ') },
    },
  }
}

/** Converts the draft of a form to settings. Drops empty lines and words. */
export function settingsOf({ settings, shell, siteArgs, commands, defaults }: Draft): SettingsView {
  const { perm, scope, locale } = defaults
  const { staticGen } = settings
  return {
    ...settings,
    ...(staticGen && { staticGen: { ...staticGen, Args: splitWords(siteArgs) } }),
    shell: splitWords(shell),
    commands: Object.fromEntries(
      Object.entries(commands).map(([event, text]) => [
        event,
        text
          .split('\n')
          .map((line) => line.trim())
          .filter(Boolean),
      ]),
    ),
    rules: settings.rules.map(normalizeRule),
    defaults: {
      ...settings.defaults,
      perm,
      scope,
      locale,
      commands: splitWords(defaults.commands),
    },
  }
}

/**
 * Whether a draft gives new users access to all files: sign-up is on, without home folders, and the default scope is
 * the root.
 */
export function givesRootAccess({ settings, defaults }: Pick<Draft, 'settings' | 'defaults'>): boolean {
  return settings.signup && !settings.createUserDir && isRoot(defaults.scope)
}

/** Whether a scope is the root, by the server's rules: `.` and empty parts are ignored, and `..` stops at the root. */
function isRoot(scope: string): boolean {
  let depth = 0
  for (const part of scope.trim().split('/')) {
    if (part === '..') depth = Math.max(0, depth - 1)
    else if (part !== '' && part !== '.') depth++
  }
  return depth === 0
}

/** Fetches the settings; shows an error if that fails. */
export async function loadSettings(): Promise<void> {
  settingsState.draft = undefined
  try {
    const settings = await api('GET /api/settings')
    brandFolder = settings.branding.files
    settingsState.draft = draftOf(settings)
    settingsState.isRootOpen = givesRootAccess(settingsState.draft)
  } catch (error) {
    showToast('error', problemMessage(error))
  }
}

/** Changes settings in the draft. */
export function changeSettings(change: Partial<SettingsView>): void {
  if (settingsState.draft) Object.assign(settingsState.draft.settings, change)
}

/** Changes settings of the website in the draft. */
export function changeSite(change: Partial<StaticGen>): void {
  const site = settingsState.draft?.settings.staticGen
  if (site) Object.assign(site, change)
}

/** Saves the whole draft. @throws ApiProblem `request.invalid`, `auth.proof` or any other error of the server. */
export async function saveSettings(proof: Proof): Promise<void> {
  if (!settingsState.draft) return
  const { authMethod: _fixed, ...body } = settingsOf(settingsState.draft)
  await api('PUT /api/settings', { body: { ...body, ...proof } })
  settingsState.isRootOpen = givesRootAccess(settingsState.draft)
  settingsState.isBrandingOutdated = body.branding.files.trim() !== brandFolder
  applyHere(body)
}

/**
 * Reloads the page after a second, so that the user can read the notice. Logo, icons and style are part of the page.
 */
export function reloadPageSoon(): void {
  setTimeout(() => location.reload(), 1000)
}

/** Applies saved settings to the running page at once. */
function applyHere({ branding, signup, hideLoginButton, sharing }: Omit<SettingsView, 'authMethod'>): void {
  Object.assign(page, {
    Name: branding.name.trim() || 'Coffer',
    Theme: branding.theme,
    FollowDevice: branding.followDevice,
    Color: branding.color,
    DisableExternal: branding.disableExternal,
    DisableUsedPercentage: branding.disableUsedPercentage,
    Signup: signup,
    HideLoginButton: hideLoginButton,
    Sharing: sharing,
  })
  applyTheme(session.user?.theme)
  colorWindow()
  pageChanges.changes++
}
