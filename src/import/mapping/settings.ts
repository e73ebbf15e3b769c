import { isAbsolute } from 'node:path'
import { Problem } from '#src/core/problem.ts'
import { openHostFolder } from '#src/files/jail/jail.ts'
import { normalizeSetting } from '#src/files/paths/user-path.ts'
import type { Fields } from '#src/import/reading/fields.ts'
import type { ReportWriter } from '#src/import/report/report.ts'
import type { SettingsRecord } from '#src/state/state.ts'
import {
  commandsOf,
  createPatternCheck,
  dependsOnOrder,
  permissionsOf,
  rulesOf,
  type Tell,
} from './access.ts'
import { hooksOf, shellOf } from './hooks.ts'
import { preferencesOf } from './preferences.ts'
import { type Served, scopeOf } from './scopes.ts'

/** What the import of settings needs. */
export interface SettingsContext {
  /** The values of settings that the file does not contain. */
  base: SettingsRecord
  served: Served
  report: ReportWriter
}

type Part = Partial<SettingsRecord>

/** Returns the settings of the instance. @throws RecordFault for a value of another type. */
export async function mapSettings(
  given: Fields,
  { base, served, report }: SettingsContext,
): Promise<SettingsRecord> {
  const parts: [name: string, map: (tell: Tell) => Part | Promise<Part>][] = [
    ['signup', (tell) => ({ signup: signupOf(given, tell) })],
    ['hideLoginButton', () => ({ hideLoginButton: given.flag('hideLoginButton') })],
    ['createUserDir', () => ({ createUserDir: given.flag('createUserDir') })],
    ['userHomeBasePath', (tell) => ({ userHomeBasePath: homeBaseOf(given.text('userHomeBasePath'), tell) })],
    ['minimumPasswordLength', (tell) => ({ minimumPasswordLength: between(given, tell, lengths) })],
    ['fileMode', (tell) => ({ fileMode: modeOf(given.whole('fileMode'), { least: 0o600, tell }) })],
    ['dirMode', (tell) => ({ dirMode: modeOf(given.whole('dirMode'), { least: 0o700, tell }) })],
    ['defaults', async (tell) => ({ defaults: await defaultsOf(given.fields('defaults'), served, tell) })],
    ['rules', (tell) => ({ rules: rulesOf(given.objects('rules'), createPatternCheck(), tell) })],
    ['branding', async (tell) => ({ branding: await brandingOf(given, base.branding, tell) })],
    ['tus', (tell) => ({ tus: tusOf(given.fields('tus'), tell) })],
    ['shell', () => ({ shell: shellOf(given.texts('shell')) })],
    [
      'commands',
      (tell) => ({ commands: hooksOf(given.fields('commands'), shellOf(given.texts('shell')), tell) }),
    ],
  ]
  let settings = base
  for (const [name, map] of parts) {
    if (!given.has(name)) continue
    const told: Parameters<Tell>[] = []
    const part = await map((outcome, reason) => void told.push([outcome, reason]))
    report.note('setting', name, 'imported', summaryOf(name, Object.values(part)[0]))
    for (const [outcome, reason] of told) report.note('setting', name, outcome, reason)
    settings = { ...settings, ...part }
  }
  noteDropped(given, report)
  if (dependsOnOrder(settings.rules) && !given.has('userHomeBasePath'))
    report.advise(
      'Check the order of the rules: File Browser before 2.2 used the first rule that matches, Coffer uses the last.',
    )
  return settings
}

function signupOf(given: Fields, tell: Tell): boolean {
  const perm = given.fields('defaults').fields('perm')
  if (given.flag('signup') && (perm.flag('admin') || perm.flag('execute')))
    tell('changed', 'users who sign up are never administrators and cannot run commands')
  return given.flag('signup')
}

function summaryOf(name: string, value: unknown): string {
  if (name.endsWith('Mode')) return `0${Number(value).toString(8)}`
  if (Array.isArray(value)) return value.length === 1 ? '1 entry' : `${value.length} entries`
  return typeof value === 'object' ? '' : String(value)
}

/** Says why settings without a meaning in Coffer are left out. */
function noteDropped(given: Fields, { note }: ReportWriter): void {
  const drop = (name: string, reason: string) => note('setting', name, 'dropped', reason)
  if (given.has('key')) drop('key', 'Coffer makes its own key: everyone signs in again')
  if (given.flag('hideDotfiles')) drop('hideDotfiles', 'it had no effect: each user has this setting')
  if (!['', '/login'].includes(given.text('logoutPage')))
    drop('logoutPage', 'Coffer shows its own page after sign-out')
  if (given.text('css')) drop('css', 'put it into custom.css in the branding folder')
}

const lengths = { name: 'minimumPasswordLength', least: 1, most: 256 }

function between(
  given: Fields,
  tell: Tell,
  { name, least, most }: { name: string; least: number; most: number },
): number {
  const written = given.whole(name)
  const value = Math.min(most, Math.max(least, written))
  if (value !== written)
    tell('changed', `${name} ${written} is not between ${least} and ${most}: it is now ${value}`)
  return value
}

function tusOf(given: Fields, tell: Tell): SettingsRecord['tus'] {
  return {
    chunkSize: between(given, tell, { name: 'chunkSize', least: 64 * 1024, most: 1024 ** 3 }),
    retryCount: between(given, tell, { name: 'retryCount', least: 0, most: 100 }),
  }
}

/** The permission bits of a mode. The owner keeps the least ones, without which Coffer could not use its own files. */
function modeOf(written: number, { least, tell }: { least: number; tell: Tell }): number {
  // The bits of Go above the permissions say what kind of file it is.
  const mode = Number(BigInt.asUintN(64, BigInt(written)) & 0o777n)
  const value = mode | least
  if (value !== mode)
    tell('changed', `${mode.toString(8)} is now ${value.toString(8)}: the owner needs access`)
  return value
}

function homeBaseOf(written: string, tell: Tell): string {
  try {
    return normalizeSetting(written.trim() || '/users').path
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    tell('changed', `it is now /users, because ${error.message}`)
    return '/users'
  }
}

async function defaultsOf(given: Fields, served: Served, tell: Tell): Promise<SettingsRecord['defaults']> {
  return {
    scope: await defaultScopeOf(given.text('scope'), served, tell),
    perm: permissionsOf(given.fields('perm'), tell),
    commands: commandsOf(given.texts('commands'), tell),
    ...preferencesOf(given, tell),
  }
}

/** Stored as written, because the page sends it back for users without a scope of their own. */
async function defaultScopeOf(written: string, served: Served, tell: Tell): Promise<string> {
  try {
    const scope = await scopeOf(written, served, tell)
    return ['', '.', './'].includes(written.trim()) ? '.' : scope
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    tell('changed', `the default scope is now /users, because ${error.message}`)
    return '/users'
  }
}

async function brandingOf(
  settings: Fields,
  base: SettingsRecord['branding'],
  tell: Tell,
): Promise<SettingsRecord['branding']> {
  const given = settings.fields('branding')
  const [name, color, theme] = [given.text('name').trim(), given.text('color'), given.text('theme')]
  const isName = name.length <= 200 && !/\p{Cc}/u.test(name)
  const isColor = /^(#[0-9A-Fa-f]{3,8}|[A-Za-z]{1,32})?$/.test(color)
  const known = (['', 'dark', 'light'] as const).find((one) => one === theme)
  if (!isName) tell('dropped', 'the name is too long or has control characters')
  if (!isColor) tell('dropped', `the color ${color} is neither the name of a color nor hexadecimal`)
  if (known === undefined) tell('dropped', `the theme ${theme} is unknown`)
  return {
    ...base,
    name: isName ? name : base.name,
    color: isColor ? color : base.color,
    theme: known ?? base.theme,
    // Since 2.29 an empty theme means the one of the device. This field is of 2.34.
    followDevice: base.followDevice || settings.has('minimumPasswordLength'),
    disableExternal: given.flag('disableExternal'),
    disableUsedPercentage: given.flag('disableUsedPercentage'),
    files: await brandingFolderOf(given.text('files').trim(), tell),
  }
}

/** The folder may be mounted later, so a missing one is kept. */
async function brandingFolderOf(folder: string, tell: Tell): Promise<string> {
  if (folder === '') return ''
  if (folder.length > 4096 || folder.includes('\0')) {
    tell('dropped', 'the path of the branding folder cannot be one')
    return ''
  }
  if (!isAbsolute(folder))
    tell('changed', `the branding folder ${folder} is now looked up in the folder that Coffer starts in`)
  await openHostFolder(folder, { allows: () => true, secret: [] }).catch((error: unknown) => {
    if (!(error instanceof Problem)) throw error
    tell(
      'changed',
      `the branding folder ${folder} does not exist here: the pictures of Coffer are shown until it does`,
    )
  })
  return folder
}
