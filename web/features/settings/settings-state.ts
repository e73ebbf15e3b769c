import { proxy } from 'valtio'
import type { SettingsView } from '#contract/settings.ts'
import { api } from '#web/api/client.ts'
import { soundRule, splitWords, type UserDraft } from '#web/shared/forms/user-draft.ts'
import { look, page } from '#web/shared/page.ts'
import { session } from '#web/shared/session.ts'
import { type Proof, problemMessage } from '#web/shared/submit.ts'
import { applyTheme, colorWindow } from '#web/shared/theme.ts'
import { tell } from '#web/ui/toasts.ts'

interface Draft {
  settings: SettingsView
  /** The program that runs commands with its arguments, as one line. */
  shell: string
  /** Text by event, one command a line. */
  commands: Record<string, string>
  defaults: UserDraft
}

export const settingsState = proxy({
  /** The settings as they are being edited; undefined until they are loaded. */
  draft: undefined as Draft | undefined,
  /** Whether, as it is saved, everybody who signs up gets all files. */
  isRootOpen: false,
  /** The folder of the brand that this page was made with, and another one that holds now. */
  isLookOld: false,
})
let brandFolder = ''

/** The settings as a form edits them. */
export function draftOf(settings: SettingsView): Draft {
  const { shell, commands, defaults } = settings
  const { perm, scope, locale } = defaults
  return {
    settings,
    shell: shell.join(' '),
    commands: Object.fromEntries(Object.entries(commands).map(([event, lines]) => [event, lines.join('\n')])),
    defaults: {
      ...{ username: '', password: '', lockPassword: false, rules: [] },
      ...{ perm, scope, locale, commands: defaults.commands.join(' ') },
    },
  }
}

/** What a form's draft says; empty lines and words are dropped. */
export function settingsOf({ settings, shell, commands, defaults }: Draft): SettingsView {
  const { perm, scope, locale } = defaults
  return {
    ...settings,
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
    rules: settings.rules.map(soundRule),
    defaults: {
      ...settings.defaults,
      perm,
      scope,
      locale,
      commands: splitWords(defaults.commands),
    },
  }
}

/** Whether a draft gives everybody who signs up all files: there are no home folders, and the default scope is the root. */
export function opensRoot({ settings, defaults }: Pick<Draft, 'settings' | 'defaults'>): boolean {
  return settings.signup && !settings.createUserDir && isRoot(defaults.scope)
}

/** Whether a scope means all files, as the server reads it: `.` and empty parts count for nothing, `..` goes up and stops at the top. */
function isRoot(scope: string): boolean {
  let depth = 0
  for (const part of scope.trim().split('/')) {
    if (part === '..') depth = Math.max(0, depth - 1)
    else if (part !== '' && part !== '.') depth++
  }
  return depth === 0
}

/** Fetches the settings anew; a failure is told. */
export async function loadSettings(): Promise<void> {
  settingsState.draft = undefined
  try {
    const settings = await api('GET /api/settings')
    brandFolder = settings.branding.files
    settingsState.draft = draftOf(settings)
    settingsState.isRootOpen = opensRoot(settingsState.draft)
  } catch (error) {
    tell('error', problemMessage(error))
  }
}

/** Changes the draft. */
export function changeSettings(change: Partial<SettingsView>): void {
  if (settingsState.draft) Object.assign(settingsState.draft.settings, change)
}

/** Saves the whole draft. @throws ApiProblem `request.invalid`, `auth.proof` and whatever else the server refuses. */
export async function saveSettings(proof: Proof): Promise<void> {
  if (!settingsState.draft) return
  const { authMethod: _fixed, ...body } = settingsOf(settingsState.draft)
  await api('PUT /api/settings', { body: { ...body, ...proof } })
  settingsState.isRootOpen = opensRoot(settingsState.draft)
  settingsState.isLookOld = body.branding.files.trim() !== brandFolder
  applyHere(body)
}

/** Loads the page anew, when what was told has been read: logo, icons and style are part of it. */
export function reloadSoon(): void {
  setTimeout(() => location.reload(), 1000)
}

/** What the page was told when it was loaded has changed: it looks and acts like it at once. */
function applyHere({ branding, signup, hideLoginButton }: Omit<SettingsView, 'authMethod'>): void {
  Object.assign(page, {
    Name: branding.name.trim() || 'Coffer',
    Theme: branding.theme,
    FollowDevice: branding.followDevice,
    Color: branding.color,
    DisableExternal: branding.disableExternal,
    DisableUsedPercentage: branding.disableUsedPercentage,
    Signup: signup,
    HideLoginButton: hideLoginButton,
  })
  applyTheme(session.user?.theme)
  colorWindow()
  look.changes++
}
