import t from 'tap'
import { PageSettings } from '#contract/system.ts'
import { newSettings } from '#src/core/state/state.ts'
import { pageSettings } from './page-settings.ts'

const instance = {
  makes: { thumbnails: true, previews: true },
  baseUrl: '/sub/path',
  version: '1.2.3',
  authMethod: 'json' as const,
  enableExec: false,
  execSandbox: false,
  hasStyle: false,
  hasLogo: false,
  recaptcha: { host: 'https://check.example', key: '' },
}

t.test('the page learns of the instance exactly what the contract lists, and no secret', async (t) => {
  const settings = newSettings()
  settings.signup = true
  Object.assign(settings.branding, { name: 'Ours', theme: 'dark', color: '#123456', files: '/srv/branding' })
  const told = pageSettings(settings, instance)
  t.strictSame(Object.keys(told).sort(), Object.keys(PageSettings.properties).sort())
  t.match(told, { Name: 'Ours', Theme: 'dark', Color: '#123456', Signup: true, Version: '1.2.3' })
  t.match(told, { BaseURL: '/sub/path', StaticURL: '/sub/path/static', EnableExec: false })
  t.equal(told.LogoutPage, '/sub/path/login', 'who signs out stays in the product')
  t.notMatch(JSON.stringify(told), '/srv/branding', 'folders of the host stay its own')
})

t.test('the page learns whether commands run in a sandbox', async (t) => {
  for (const execSandbox of [true, false]) {
    const told = pageSettings(newSettings(), { ...instance, enableExec: true, execSandbox })
    t.match(told, { EnableExec: true, ExecSandbox: execSandbox })
  }
})

t.test('an instance without login shows no login page', async (t) => {
  t.match(pageSettings(newSettings(), instance), { NoAuth: false, LoginPage: true, AuthMethod: 'json' })
  t.match(pageSettings(newSettings(), { ...instance, authMethod: 'noauth' }), {
    NoAuth: true,
    LoginPage: false,
    AuthMethod: 'noauth',
  })
  const settings = { ...newSettings(), signup: true }
  t.match(pageSettings(settings, { ...instance, authMethod: 'proxy' }), {
    NoAuth: false,
    LoginPage: false,
    AuthMethod: 'proxy',
    Signup: false,
  })
})

t.test('the page learns of a human check where people sign in with a password', async (t) => {
  t.match(pageSettings(newSettings(), instance), { ReCaptcha: false, ReCaptchaHost: '', ReCaptchaKey: '' })
  const checked = { ...instance, recaptcha: { host: 'https://check.example', key: 'site' } }
  t.match(pageSettings(newSettings(), checked), {
    ReCaptcha: true,
    ReCaptchaHost: 'https://check.example',
    ReCaptchaKey: 'site',
  })
  t.match(pageSettings(newSettings(), { ...checked, authMethod: 'proxy' }), {
    ReCaptcha: false,
    ReCaptchaHost: '',
  })
})
