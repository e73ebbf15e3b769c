import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { answers, isDone, refuses, rulesOf, tells } from './rule.ts'

const events = ['save', 'copy', 'rename', 'upload', 'delete'].flatMap((name) => [
  `before_${name}`,
  `after_${name}`,
])

const ofSettings = rulesOf('Users and settings, Settings')
const ofUsersAndSettings = rulesOf('Users and settings')
const ofCommands = rulesOf('Commands')
const ofPage = rulesOf('Page settings')
const ofBranding = rulesOf('Page settings, Branding')
const ofErrors = rulesOf('Errors')

/** The settings, disabled features, and the web page. */
export const instance = [
  ofSettings(
    'only administrators read and write the settings, which have every key that clients read',
    async ({ admin, ann }) => {
      refuses(await ann.call('GET', '/api/settings'), 403)
      refuses(await ann.call('PUT', '/api/settings', { body: {} }), 403)
      const reply = await admin.call('GET', '/api/settings')
      answers(reply, 200)
      const settings = reply.json<Record<string, object>>()
      for (const key of ['signup', 'createUserDir', 'defaults', 'rules', 'branding', 'shell', 'commands']) {
        ok(key in settings, key)
      }
      for (const key of ['scope', 'locale', 'viewMode', 'sorting', 'perm', 'commands']) {
        ok(key in (settings.defaults ?? {}), key)
      }
      for (const key of ['name', 'disableExternal', 'files', 'theme'])
        ok(key in (settings.branding ?? {}), key)
      for (const event of events) ok(event in (settings.commands ?? {}), event)
    },
  ),
  ofUsersAndSettings(
    'a change keeps missing keys, and the whole settings may be sent back',
    async ({ admin }) => {
      const before = (await admin.call('GET', '/api/settings')).json<object>()
      isDone(await admin.call('PUT', '/api/settings', { body: {} }))
      isDone(await admin.call('PUT', '/api/settings', { body: before }))
      isDone(await admin.call('PUT', '/api/settings', { body: { branding: {}, defaults: {}, unknown: 1 } }))
      deepEqual((await admin.call('GET', '/api/settings')).json<object>(), before)
    },
  ),
  ofUsersAndSettings(
    'a change with an error is 400, names the field and changes nothing',
    async ({ admin }) => {
      const before = (await admin.call('GET', '/api/settings')).json<{ signup: boolean }>()
      const wrong: Record<string, unknown>[] = [
        { signup: 'yes' },
        { branding: { theme: 'pink' } },
        { defaults: { locale: 'tlh' } },
        { defaults: { perm: { admin: 1 } } },
        { shell: 'bash -c' },
        { rules: [{ regex: true, allow: false, path: '', regexp: { raw: '(' } }] },
      ]
      for (const change of wrong) {
        const body = { signup: !before.signup, ...change }
        refuses(await admin.call('PUT', '/api/settings', { body }), 400)
        const reply = await admin.call('PUT', '/api/settings', {
          body,
          headers: { Accept: 'application/json' },
        })
        equal(reply.json<{ code: string }>().code, 'request.invalid')
      }
      refuses(await admin.call('PUT', '/api/settings', { body: '{' }), 400)
      deepEqual((await admin.call('GET', '/api/settings')).json<object>(), before)
    },
  ),
  ofCommands('commands are refused before the upgrade', async ({ call, ann }) => {
    const headers = {
      Connection: 'Upgrade',
      Upgrade: 'websocket',
      'Sec-WebSocket-Version': '13',
      'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
    }
    for (const auth of ['', '?auth=a.b.c', `?auth=${ann.token}`]) {
      const { status } = await call('GET', `/api/command/${auth}`, { headers })
      ok(status >= 400 && status < 500, String(status))
    }
  }),
  ofPage('everyone may read the health status', async ({ call }) => {
    tells(await call('GET', '/health'), { status: 'OK' })
    equal((await call('GET', '/health')).text, '{"status":"OK"}')
  }),
  ofBranding('every page URL returns the page, with its settings as JSON data', async ({ call, base }) => {
    for (const path of [
      '/',
      '/files/',
      '/files/a%20b/',
      '/login',
      '/share/abc',
      '/settings/profile',
      '/anything',
    ]) {
      const reply = await call('GET', path)
      answers(reply, 200)
      match(reply.headers['content-type'] ?? '', /^text\/html/)
      const [, json = ''] = /<script type="application\/json"[^>]*>(.*?)<\/script>/s.exec(reply.text) ?? []
      const settings = JSON.parse(json) as Record<string, unknown>
      for (const key of pageKeys) ok(key in settings, key)
      equal(settings.BaseURL, base.pathname.replace(/\/+$/, ''))
      equal(settings.StaticURL, `${settings.BaseURL}/static`)
    }
  }),
  ofPage('the page contains no inline scripts, and only its own scripts may run', async ({ call }) => {
    const { text, headers } = await call('GET', '/')
    const policy = String(headers['content-security-policy'])
    match(policy, /script-src 'self'/)
    ok(!/unsafe-inline|unsafe-eval|\*/.test(policy))
    for (const [, attributes = ''] of text.matchAll(/<script([^>]*)>/g)) {
      ok(/\bsrc=|type="application\/json"/.test(attributes), attributes)
    }
  }),
  ofPage('a missing file below /static is 404, and the page accepts no POST', async ({ call }) => {
    refuses(await call('GET', '/static/nothing.js'), 404)
    refuses(await call('POST', '/files/'), 404)
  }),
  ofErrors('the API is described for programs and for people', async ({ call, base }) => {
    const reply = await call('GET', '/api/openapi.json')
    tells(reply, { openapi: '3.1.0', servers: [{ url: base.pathname.replace(/\/+$/, '') || '/' }] })
    match((await call('GET', '/api/docs')).headers['content-type'] ?? '', /^text\/html/)
  }),
]

const pageKeys = [
  ...['Name', 'DisableExternal', 'BaseURL', 'StaticURL', 'ReCaptcha', 'ReCaptchaHost', 'ReCaptchaKey'],
  ...['Signup', 'Version', 'NoAuth', 'AuthMethod', 'LoginPage', 'Theme', 'EnableExec'],
]
