import { proxy } from 'valtio'
import type { PageSettings } from '#contract/system.ts'

/** Counts the changes of `page` since it was read. Components that show its values subscribe to this counter. */
export const pageChanges = proxy({ changes: 0 })

/** The settings that the server wrote into the page (contract/README.md#page-settings). Filled by `readPage`. */
export const page: PageSettings = {
  Name: 'Coffer',
  DisableExternal: false,
  DisableUsedPercentage: false,
  BaseURL: '',
  StaticURL: '/static',
  Color: '',
  CSS: false,
  Logo: false,
  ReCaptcha: false,
  ReCaptchaHost: '',
  ReCaptchaKey: '',
  Signup: false,
  Setup: '',
  MinimumPasswordLength: 12,
  Version: '',
  NoAuth: false,
  AuthMethod: 'json',
  LoginPage: true,
  HideLoginButton: false,
  LogoutPage: '',
  Theme: '',
  FollowDevice: false,
  EnableExec: false,
  ExecSandbox: false,
  StaticGen: '',
  Scanner: '',
  EnableThumbs: false,
  ResizePreview: false,
  TusSettings: { chunkSize: 10 * 1024 * 1024, retryCount: 5 },
  Sharing: { password: false, longest: 0, uploads: true, who: 'permitted' },
}

/** Reads the settings from the page. Missing ones keep their default. */
export function readPage(): void {
  const text = document.getElementById('settings')?.textContent
  if (text) Object.assign(page, JSON.parse(text))
  page.Name ||= 'Coffer'
}
