import type { PageSettings } from '#contract/system.ts'
import { defaultSharing } from '#src/state/defaults.ts'
import type { SettingsRecord } from '#src/state/state.ts'

/** Values that stay constant while the server runs, and the current content of the branding folder. */
interface Instance {
  /** Without a trailing slash; empty at the root. */
  baseUrl: string
  version: string
  authMethod: PageSettings['AuthMethod']
  enableExec: boolean
  execSandbox: boolean
  staticGen: PageSettings['StaticGen']
  scanner: PageSettings['Scanner']
  hasStyle: boolean
  hasLogo: boolean
  /** Which previews are created. */
  enabledPreviews: { thumbnails: boolean; previews: boolean }
  /** The captcha; the key is empty if there is none. */
  recaptcha: { host: string; key: string }
  /** The proposed name of the first administrator; empty when the instance is set up. */
  setup: string
}

/**
 * The settings that the page gets before sign-in (contract/README.md#page-settings,
 * contract/compatibility.md#branding).
 */
export function createPageSettings(
  { branding, signup, hideLoginButton, tus, minimumPasswordLength, sharing = defaultSharing }: SettingsRecord,
  instance: Instance,
): PageSettings {
  const { baseUrl, authMethod, recaptcha } = instance
  const isJson = authMethod === 'json'
  return {
    Name: branding.name,
    DisableExternal: branding.disableExternal,
    DisableUsedPercentage: branding.disableUsedPercentage,
    BaseURL: baseUrl,
    StaticURL: `${baseUrl}/static`,
    Color: branding.color,
    CSS: instance.hasStyle,
    Logo: instance.hasLogo,
    ...(isJson && recaptcha.key
      ? { ReCaptcha: true, ReCaptchaHost: recaptcha.host, ReCaptchaKey: recaptcha.key }
      : { ReCaptcha: false, ReCaptchaHost: '', ReCaptchaKey: '' }),
    // An account with a password is useless if users sign in by other means.
    Signup: signup && isJson,
    Setup: instance.setup,
    MinimumPasswordLength: minimumPasswordLength,
    Version: instance.version,
    NoAuth: authMethod === 'noauth',
    AuthMethod: authMethod,
    LoginPage: isJson,
    HideLoginButton: hideLoginButton,
    LogoutPage: `${baseUrl}/login`,
    Theme: branding.theme,
    FollowDevice: branding.followDevice,
    EnableExec: instance.enableExec,
    ExecSandbox: instance.execSandbox,
    StaticGen: instance.staticGen,
    Scanner: instance.scanner,
    EnableThumbs: instance.enabledPreviews.thumbnails,
    ResizePreview: instance.enabledPreviews.previews,
    TusSettings: tus,
    Sharing: sharing,
  }
}
