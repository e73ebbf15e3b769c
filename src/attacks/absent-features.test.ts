import { existsSync, mkdirSync, realpathSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { systemdUnit } from '#src/cli/commands/systemd.ts'
import { lockProcess } from '#src/core/storage/process-lock.ts'
import { isRefused, openTarget } from './fixture.ts'
import { canaries } from './world.ts'

const target = await openTarget(t)
const { ask, row, share, settings, root, idOf } = target

/** Asserts that none of these calls exists, for any user and any method with an effect. */
async function areAbsent(t: Test, calls: readonly string[]): Promise<void> {
  for (const call of calls) {
    for (const user of ['', 'alice', 'admin'] as const) {
      for (const method of ['GET', 'POST', 'PUT', 'DELETE']) {
        isRefused(t, await ask(user, method, `/api/${call}`, { json: { url: 'x', token: 'x' } }), [404])
      }
    }
  }
}

row('M01 N13 there is no second factor, no passkey and no external sign-in to bypass', async (t) => {
  await areAbsent(t, ['otp', 'totp', '2fa', 'mfa', 'recovery', 'webauthn', 'passkey'])
  await areAbsent(t, ['oidc', 'oidc/callback', 'oauth2', 'oauth/callback', 'saml', 'sso', 'auth/callback'])
  for (const more of [{ otp: '000000' }, { totp: '' }, { recovery: 'x' }, { id_token: 'a.b.c' }]) {
    const json = { username: 'alice', password: 'wrong', ...more }
    isRefused(t, await ask('', 'POST', '/api/login', { json }), [403])
  }
  for (const url of ['/?code=x&state=y', '/login?id_token=a.b.c', '/oidc/callback?code=x']) {
    const response = await ask('', 'GET', url)
    t.notOk(response.headers['set-cookie'] ?? response.headers.location, url)
  }
})

row('M02 there is no way to reset a password by mail, with a code or for another user', async (t) => {
  const calls = ['reset', 'reset-password', 'forgot', 'forgot-password', 'password', 'password/reset']
  await areAbsent(t, calls)
  const page = await ask('', 'GET', '/reset?token=x', { headers: { host: 'evil.test' } })
  t.notMatch(page.text + JSON.stringify(page.headers), 'evil')
  const id = idOf('bob')
  const data = { id, password: 'another long passphrase' }
  const json = { what: 'user', which: ['password'], current_password: '', data }
  for (const user of ['alice', 'noperm'] as const)
    isRefused(t, await ask(user, 'PUT', `/api/users/${id}`, { json }), [403])
})

row(
  'M03 events run no actions that can be set over HTTP, except commands set by an administrator',
  async (t) => {
    await areAbsent(t, ['actions', 'rules', 'rsync', 'git', 'webhooks', 'cron', 'tasks'])
    const json = { commands: { after_upload: ['touch p'] } }
    for (const user of ['alice', 'noperm'] as const)
      isRefused(t, await ask(user, 'PUT', '/api/settings', { json }), [403])
  },
)

row('M06 no office service gets a token that could write', async (t) => {
  await areAbsent(t, ['wopi/files/1', 'wopi/files/1/contents', 'office', 'onlyoffice', 'collabora'])
  for (const path of ['/wopi/files/1', '/hosting/discovery', '/wopi/files/..%2f..%2foutside']) {
    isRefused(t, await ask('', 'PUT', path, { body: 'x' }), [404, 405])
    isRefused(t, await ask('', 'POST', path, { headers: { 'x-wopi-override': 'PUT_RELATIVE' } }), [404, 405])
  }
})

row(
  'M08 CVE-2026-33477 every call that shows a part of a file needs the permission to download it',
  async (t) => {
    const absent = ['snippet', 'lyrics', 'ocr', 'tags', 'index', 'content']
    await areAbsent(t, absent)
    const path = '/docs/private/secret.txt'
    const shows = [
      `preview/thumb${path}`,
      `preview/big${path}`,
      `preview/tile${path}`,
      `raw${path}`,
      'subtitle/docs/private/s.srt',
      `metadata${path}`,
    ]
    // Users who may edit a text may read it without this permission, and may read its checksum.
    for (const call of [...shows, 'resources/pics/a.jpg?checksum=sha1']) {
      isRefused(t, await ask('nodl', 'GET', `/api/${call}`), [403])
      isRefused(t, await ask('noperm', 'GET', `/api/${call}`), [403])
    }
    isRefused(t, await ask('noperm', 'GET', `/api/resources${path}?checksum=sha1`), [403])
    await target.rules('alice', ['/docs/private'])
    for (const call of shows) isRefused(t, await ask('alice', 'GET', `/api/${call}`), [403])
    const shareId = await share('/docs')
    for (const call of ['search', 'usage', 'raw']) {
      isRefused(t, await ask('', 'GET', `/api/public/${call}/${shareId}/public.txt`), [404])
    }
    for (const call of ['preview/thumb', 'preview/big', 'subtitle']) {
      isRefused(t, await ask('', 'GET', `/api/public/${call}/${shareId}/public.txt`), [400, 415])
      for (const name of ['secret.txt', 's.srt', 'is-not-there.txt'])
        isRefused(t, await ask('', 'GET', `/api/public/${call}/${shareId}/private/${name}`), [403])
    }
    t.notMatch((await ask('alice', 'GET', '/api/search/?query=secret')).text, /secret/)
  },
)

row('K09 the server opens no connections, whatever addresses requests and files contain', async (t) => {
  let calls = 0
  const trap = createServer((_, reply) => {
    calls++
    reply.end()
  })
  await new Promise<void>((resolve) => trap.listen(0, '127.0.0.1', resolve))
  t.teardown(() => trap.close())
  const url = `http://127.0.0.1:${(trap.address() as AddressInfo).port}/x.png`
  const headers = { referer: url, origin: url, 'x-forwarded-host': url, 'x-original-url': url }
  const texts: Record<string, string> = {
    'x.m3u8': `#EXTM3U\n${url}\n`,
    'x.svg': `<svg xmlns="http://www.w3.org/2000/svg"><image href="${url}"/></svg>`,
    'x.html': `<img src="${url}">`,
    'x.srt': `1\n00:00:01,000 --> 00:00:02,000\n<img src="${url}">\n`,
    'x.url': `[InternetShortcut]\nURL=${url}\n`,
  }
  for (const [name, body] of Object.entries(texts)) {
    t.equal((await ask('alice', 'POST', `/api/resources/${name}`, { headers: {}, body })).status, 200)
    const calls = [
      `resources/${name}`,
      `raw/${name}?inline=true`,
      `preview/thumb/${name}`,
      `subtitle/${name}`,
    ]
    for (const call of calls) await ask('alice', 'GET', `/api/${call}`, { headers })
  }
  await settings({ branding: { name: url } })
  isRefused(t, await ask('admin', 'PUT', '/api/settings', { json: { branding: { files: url } } }), [200, 400])
  const json = { username: 'alice', password: 'wrong', recaptcha: url }
  isRefused(t, await ask('', 'POST', '/api/login', { headers, json }), [403])
  for (const path of ['/', '/login', '/share/x', '/static/custom.css'])
    await ask('', 'GET', path, { headers })
  await settings({ branding: { name: '', files: '' } })
  t.equal(calls, 0)
})

row('K10 a client without a session learns nothing about the server beyond the public page', async (t) => {
  for (const url of ['/', '/login', '/health', '/api/none', '/static/none', '/api/resources/']) {
    const { headers } = await ask('', 'GET', url)
    const found = ['server', 'x-powered-by', 'via', 'x-runtime'].filter((name) => headers[name])
    t.strictSame(found, [], url)
  }
  t.strictSame(JSON.parse((await ask('', 'GET', '/health')).text), { status: 'OK' })
  for (const url of ['/api/version', '/api/status', '/metrics', '/debug/pprof/', '/server-status']) {
    const response = await ask('', 'GET', url)
    t.ok(response.status === 404 || String(response.headers['content-type']).startsWith('text/html'), url)
  }
})

row('K13 the systemd unit runs without privileges and may write only where needed', async (t) => {
  const unit = await systemdUnit(['--root', root], ['/usr/bin/coffer'])
  for (const line of [
    'NoNewPrivileges=yes',
    'CapabilityBoundingSet=',
    'AmbientCapabilities=',
    'ProtectSystem=strict',
    'RestrictSUIDSGID=yes',
    'RestrictNamespaces=yes',
    'SystemCallFilter=@system-service',
    'PrivateDevices=yes',
  ]) {
    t.ok(unit.split('\n').includes(line), line)
  }
  t.notMatch(unit, /^User=(0|root)$/m)
  t.notMatch(unit, canaries.outside)
})

row('N09 no call imports accounts or settings; the command does it only while no server runs', async (t) => {
  await areAbsent(t, ['import', 'export', 'backup', 'restore', 'config', 'migrate', 'db'])
  const { run } = await import('#src/cli/cli.ts')
  const base = realpathSync(
    t.testdir({ root: {}, 'users.json': '[{"id":1,"username":"eve","perm":{"admin":true}}]' }),
  )
  const quiet = { command: ['coffer'], env: {}, stdin: process.stdin, print: () => {}, warn: () => {} }
  const flags = ['--root', join(base, 'root'), '--database', join(base, 'state.json')]
  const importFile = (name: string) => run(['import', join(base, name), ...flags], quiet)
  mkdirSync(join(base, 'state.d'))
  const lock = await lockProcess(join(base, 'state.d'))
  await t.rejects(importFile('users.json'), { message: /^Another Coffer process uses the state/ })
  await lock.close()
  // No link to another machine is followed, and no device is read.
  for (const name of ['../../../../dev/zero', '../../../../etc/passwd', 'http:/localhost/users.json'])
    await t.rejects(importFile(name), { name: 'StartupProblem' })
  t.notOk(existsSync(join(base, 'state.json')))
})
