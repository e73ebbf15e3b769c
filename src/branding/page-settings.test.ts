import t from 'tap'
import { PageSettings } from '#contract/system.ts'
import { newSettings } from '#src/state/defaults.ts'
import { createPageSettings } from './page-settings.ts'

const instance = {
  enabledPreviews: { thumbnails: true, previews: true },
  baseUrl: '/sub/path',
  version: '1.2.3',
  authMethod: 'json' as const,
  enableExec: false,
  execSandbox: false,
  staticGen: '' as const,
  scanner: '' as const,
  hasStyle: false,
  hasLogo: false,
  recaptcha: { host: 'https://check.example', key: '' },
  setup: '',
}

t.test('the page settings have exactly the fields of the contract, and no secrets', async (t) => {
  const settings = newSettings()
  settings.signup = true
  Object.assign(settings.branding, { name: 'Ours', theme: 'dark', color: '#123456', files: '/srv/branding' })
  const page = createPageSettings(settings, instance)
  t.strictSame(Object.keys(page).sort(), Object.keys(PageSettings.properties).sort())
  t.match(page, { Name: 'Ours', Theme: 'dark', Color: '#123456', Signup: true, Version: '1.2.3' })
  t.match(page, { BaseURL: '/sub/path', StaticURL: '/sub/path/static', EnableExec: false })
  t.equal(page.LogoutPage, '/sub/path/login', 'after sign-out the login page opens')
  t.notMatch(JSON.stringify(page), '/srv/branding', 'folders of the host are not exposed')
})

t.test('the page settings show whether commands run in a sandbox', async (t) => {
  for (const execSandbox of [true, false]) {
    const page = createPageSettings(newSettings(), { ...instance, enableExec: true, execSandbox })
    t.match(page, { EnableExec: true, ExecSandbox: execSandbox })
  }
})

t.test('without password sign-in there is no login page', async (t) => {
  t.match(createPageSettings(newSettings(), instance), { NoAuth: false, LoginPage: true, AuthMethod: 'json' })
  t.match(createPageSettings(newSettings(), { ...instance, authMethod: 'noauth' }), {
    NoAuth: true,
    LoginPage: false,
    AuthMethod: 'noauth',
  })
  const settings = { ...newSettings(), signup: true }
  t.match(createPageSettings(settings, { ...instance, authMethod: 'proxy' }), {
    NoAuth: false,
    LoginPage: false,
    AuthMethod: 'proxy',
    Signup: false,
  })
})

t.test('the page settings have the captcha only for password sign-in', async (t) => {
  t.match(createPageSettings(newSettings(), instance), {
    ReCaptcha: false,
    ReCaptchaHost: '',
    ReCaptchaKey: '',
  })
  const checked = { ...instance, recaptcha: { host: 'https://check.example', key: 'site' } }
  t.match(createPageSettings(newSettings(), checked), {
    ReCaptcha: true,
    ReCaptchaHost: 'https://check.example',
    ReCaptchaKey: 'site',
  })
  t.match(createPageSettings(newSettings(), { ...checked, authMethod: 'proxy' }), {
    ReCaptcha: false,
    ReCaptchaHost: '',
  })
})
