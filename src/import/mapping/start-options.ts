import { optionNamed } from '#src/config/options/options.ts'
import type { Fields } from '#src/import/reading/fields.ts'
import type { ReportWriter } from '#src/import/report/report.ts'
import type { SettingsRecord } from '#src/state/state.ts'

/** The options of File Browser that Coffer has at its start, by their names in the database. Not the root (`import.ts`). */
const sameOptions: readonly [name: string, flag: string][] = [
  ['baseURL', 'baseurl'],
  ['socket', 'socket'],
  ['tlsCert', 'cert'],
  ['tlsKey', 'key'],
  ['log', 'log'],
  ['tokenExpirationTime', 'token-expiration'],
]

/** Switches that Coffer has the other way round: they are on unless a flag turns them off. */
const inverted: readonly [name: string, flag: string][] = [
  ['enableThumbnails', 'disable-thumbnails'],
  ['resizePreview', 'disable-preview-resize'],
]

const meaningless: readonly [name: string, reason: string][] = [
  ['typeDetectionByHeader', 'Coffer reads the beginning of a file only where it must'],
  ['imageResolutionCalculation', 'Coffer always shows the size of a picture'],
  ['followExternalSymlinks', 'Coffer never follows a link out of the scope of a user'],
]

/**
 * Adds the start options of File Browser to the report, as flags of Coffer. They are not part of Coffer's state.
 *
 * @param settings.authMethod how users signed in
 */
export function noteStartOptions(
  { server, settings, auther }: Record<'server' | 'settings' | 'auther', Fields | undefined>,
  report: ReportWriter,
): void {
  if (server) noteServer(server, report)
  if (settings) noteSignIn(settings.text('authMethod'), auther, report)
}

function noteServer(server: Fields, report: ReportWriter): void {
  noteAddress(server, report)
  for (const [name, flag] of sameOptions) if (server.text(name)) noteFlag(flag, server.text(name), report)
  for (const [name, flag] of inverted) if (server.has(name) && !server.flag(name)) report.flag(flag)
  for (const [name, reason] of meaningless)
    if (server.has(name)) report.note('option', name, 'dropped', reason)
}

/** An empty address means all addresses. The port is text. */
function noteAddress(server: Fields, report: ReportWriter): void {
  if (server.text('socket')) return
  if (server.has('address')) noteFlag('address', server.text('address') || '0.0.0.0', report)
  if (server.text('port')) noteFlag('port', server.text('port'), report)
}

/** Adds a flag unless it is the default. */
function noteFlag(flag: string, value: string, report: ReportWriter): void {
  const option = optionNamed(flag)
  if (!option || option.default === value) return
  if (option.parser.parse(value) === undefined)
    report.note('option', flag, 'dropped', `${value} is not ${option.parser.expects}`)
  else report.flag(flag, value)
}

function noteSignIn(method: string, auther: Fields | undefined, report: ReportWriter): void {
  if (method === 'noauth') report.flag('noauth')
  else if (method === 'proxy') noteProxy(auther, report)
  else if (method === 'hook')
    report.note(
      'option',
      'auther',
      'dropped',
      'Coffer cannot ask a program for users: they need their password',
    )
  else if (auther?.has('recaptcha')) noteCaptcha(auther.fields('recaptcha'), report)
}

function noteProxy(auther: Fields | undefined, report: ReportWriter): void {
  noteFlag('auth-header', auther?.text('header') || 'X-Auth-User', report)
  report.advise('Add --trusted-proxy with the address of the proxy that sends the user name.')
}

/** The secret is not printed, because reports end up in logs. */
function noteCaptcha(captcha: Fields, report: ReportWriter): void {
  if (!captcha.text('key') || !captcha.text('secret')) return
  noteFlag('recaptcha-key', captcha.text('key'), report)
  if (captcha.text('host')) noteFlag('recaptcha-host', originOf(captcha.text('host')), report)
  report.advise('Set COFFER_RECAPTCHA_SECRET to the secret of the captcha, which the captcha service shows.')
}

/** Old versions stored the host without its scheme. */
function originOf(host: string): string {
  return /^https?:\/\//.test(host) ? host.replace(/\/+$/, '') : `https://${host.replace(/^\/+|\/+$/g, '')}`
}

/** Says how commands are turned on. Before 2.8 they always were, and there was no option. */
export function noteCommands(
  {
    server,
    settings,
    canExecute,
  }: { server: Fields | undefined; settings: SettingsRecord; canExecute: boolean },
  report: ReportWriter,
): void {
  const isUsed = canExecute || Object.values(settings.commands).some((lines) => lines.length > 0)
  if (server?.flag('enableExec')) report.flag('enable-exec')
  else if (isUsed)
    report.advise('Commands of users and events are off. To turn them on, start Coffer with --enable-exec.')
}
