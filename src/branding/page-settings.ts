import type { PageSettings } from '#contract/system.ts'
import type { SettingsRecord } from '#src/core/state.ts'

/** What the page learns about the instance before anyone signs in (contract W11, reference 11). */
export function pageSettings(
  { branding, signup, hideLoginButton, tus }: SettingsRecord,
  instance: { baseUrl: string; version: string; noauth: boolean; enableExec: boolean; hasStyle: boolean },
): PageSettings {
  const { baseUrl, noauth } = instance
  return {
    Name: branding.name,
    DisableExternal: branding.disableExternal,
    DisableUsedPercentage: branding.disableUsedPercentage,
    BaseURL: baseUrl,
    StaticURL: `${baseUrl}/static`,
    Color: branding.color,
    CSS: instance.hasStyle,
    ReCaptcha: false,
    ReCaptchaHost: '',
    ReCaptchaKey: '',
    Signup: signup,
    Version: instance.version,
    NoAuth: noauth,
    AuthMethod: noauth ? 'noauth' : 'json',
    LoginPage: !noauth,
    HideLoginButton: hideLoginButton,
    LogoutPage: '/login',
    Theme: branding.theme,
    EnableExec: instance.enableExec,
    EnableThumbs: false,
    ResizePreview: false,
    TusSettings: tus,
  }
}
