import { proxy } from 'valtio'
import type { PageSettings } from '#contract/system.ts'

/** How often `page` has changed since it was read; who shows it looks at this as well. */
export const look = proxy({ changes: 0 })

/** What the server wrote into the page about this instance (contract/README.md#page-settings). Filled by `readPage`. */
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
  EnableThumbs: false,
  ResizePreview: false,
  TusSettings: { chunkSize: 10 * 1024 * 1024, retryCount: 5 },
}

/** Takes over the settings the page carries; what it does not name keeps the product's default. */
export function readPage(): void {
  const text = document.getElementById('settings')?.textContent
  if (text) Object.assign(page, JSON.parse(text))
  page.Name ||= 'Coffer'
}
