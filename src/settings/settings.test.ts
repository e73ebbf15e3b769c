import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { SettingsView } from '#contract/settings.ts'
import { defaultAudit, defaultKeeping, defaultSharing } from '#src/state/defaults.ts'
import { password, start } from '#src/testing/start.ts'

const events = ['save', 'copy', 'rename', 'upload', 'delete'].flatMap((name) => [
  `before_${name}`,
  `after_${name}`,
])

async function open(t: Test) {
  const started = await start(t, { tree: { secret: { 'a.txt': 'A' } }, people: { alice: {} } })
  const admin = await started.as('admin')
  const get = async (): Promise<SettingsView> => (await admin('GET', '/api/settings')).json()
  const put = (payload: unknown) => admin('PUT', '/api/settings', { payload: JSON.stringify(payload) })
  return { ...started, admin, get, put }
}

t.test('a new instance returns its settings in the form that clients expect, without secrets', async (t) => {
  const { get } = await open(t)
  t.strictSame(await get(), {
    signup: false,
    hideLoginButton: false,
    createUserDir: false,
    fileMode: 0o640,
    dirMode: 0o750,
    minimumPasswordLength: 12,
    userHomeBasePath: '/users',
    authMethod: 'json',
    defaults: {
      scope: '.',
      perm: {
        admin: false,
        execute: false,
        create: true,
        rename: true,
        modify: true,
        delete: true,
        share: true,
        download: true,
      },
      commands: [],
      locale: '',
      viewMode: 'list',
      sorting: { by: 'name', asc: false },
      singleClick: false,
      hideDotfiles: false,
      dateFormat: false,
      aceEditorTheme: '',
      redirectAfterCopyMove: false,
      theme: '',
    },
    rules: [],
    branding: {
      name: '',
      disableExternal: false,
      disableUsedPercentage: false,
      files: '',
      theme: '',
      followDevice: false,
      color: '',
    },
    tus: { chunkSize: 10485760, retryCount: 5 },
    shell: [],
    commands: Object.fromEntries(events.map((name) => [name, []])),
    keeping: defaultKeeping,
    audit: defaultAudit,
    sharing: defaultSharing,
  })
})

t.test('writing back the settings that were read changes nothing', async (t) => {
  const { get, put, document } = await open(t)
  const before = structuredClone(document.data)
  t.match(await put(await get()), { statusCode: 200, body: '200 OK\n' })
  t.strictSame(document.data, before)
})

t.test('missing settings stay unchanged at any depth', async (t) => {
  const { get, put } = await open(t)
  const commands = { after_upload: ['echo "$FILE"'] }
  t.equal(
    (await put({ branding: { name: 'Ours', theme: 'dark' }, shell: ['sh', '-c'], commands })).statusCode,
    200,
  )
  const before = await get()
  for (const payload of [
    {},
    { branding: {} },
    { branding: { theme: 'dark' } },
    { defaults: {} },
    { defaults: { perm: { create: true } } },
    { tus: {} },
    { commands: null },
    { unknown: 1, branding: { unknown: 1 }, authMethod: 'noauth', key: 'x' },
  ]) {
    t.equal((await put(payload)).statusCode, 200, JSON.stringify(payload))
    t.strictSame(await get(), before, JSON.stringify(payload))
  }
  t.match(before, { branding: { name: 'Ours', theme: 'dark', files: '' }, shell: ['sh', '-c'], commands })
})

t.test('accepts the whole settings document of a version 2.1 client', async (t) => {
  const { get, put } = await open(t)
  const old = {
    signup: true,
    createUserDir: true,
    defaults: {
      scope: '.',
      locale: 'en',
      viewMode: '',
      sorting: { by: '', asc: false },
      perm: {
        admin: false,
        execute: true,
        create: true,
        rename: true,
        modify: true,
        delete: true,
        share: true,
        download: true,
      },
      commands: null,
    },
    rules: [{ regex: true, allow: false, path: '', regexp: { raw: '(?i)\\.key$' } }],
    branding: { name: 'Box', disableExternal: true, files: '', theme: 'dark' },
    shell: ['bash', '', ' -c '],
    commands: { before_save: ['  one ', '', 'two'], my_event: ['three'] },
  }
  t.equal((await put(old)).statusCode, 200)
  t.match(await get(), {
    signup: true,
    defaults: {
      locale: 'en',
      viewMode: 'list',
      sorting: { by: 'name' },
      commands: [],
      perm: { execute: true },
    },
    rules: [{ regex: true, allow: false, path: '', regexp: { raw: '(?i)\\.key$' } }],
    branding: { name: 'Box', color: '' },
    minimumPasswordLength: 12,
    tus: { chunkSize: 10485760 },
    shell: ['bash', '-c'],
    commands: { before_save: ['one', 'two'], after_save: [], my_event: ['three'] },
  })
})

t.test('a `commands` object replaces the lines of all events, so that lines can be removed', async (t) => {
  const { get, put } = await open(t)
  const none = Object.fromEntries(events.map((name) => [name, []]))
  await put({ commands: { before_save: ['one'], after_save: ['two'], my_event: ['three'] } })
  await put({ commands: { after_save: ['two'] } })
  t.strictSame((await get()).commands, { ...none, after_save: ['two'] })
  await put({ commands: {} })
  t.strictSame((await get()).commands, none)
})

t.test('an invalid value gets 400 with the name of its field, and nothing is stored', async (t) => {
  const { put, document, base } = await open(t)
  writeFileSync(join(base, 'file'), '')
  const before = structuredClone(document.data)
  const rule = { allow: false, path: '/x', regex: false, regexp: null }
  const refused: [payload: unknown, field: RegExp][] = [
    [null, /body/],
    [[], /body/],
    ['text', /body/],
    [{ signup: 'true' }, /signup/],
    [{ signup: null }, /signup/],
    [{ minimumPasswordLength: 0 }, /minimumPasswordLength/],
    [{ minimumPasswordLength: -1 }, /minimumPasswordLength/],
    [{ minimumPasswordLength: 1e9 }, /minimumPasswordLength/],
    [{ minimumPasswordLength: '12' }, /minimumPasswordLength/],
    [{ minimumPasswordLength: 8.5 }, /minimumPasswordLength/],
    [{ tus: { chunkSize: 0 } }, /tus\.chunkSize/],
    [{ tus: { chunkSize: 1e300 } }, /tus\.chunkSize/],
    [{ tus: { retryCount: -1 } }, /tus\.retryCount/],
    [{ branding: { theme: 'blue' } }, /branding\.theme/],
    [{ branding: { color: "red';alert(1)//" } }, /branding\.color/],
    [{ branding: { name: 'x'.repeat(201) } }, /branding\.name/],
    [{ branding: { name: 'a\u0000b' } }, /branding\.name/],
    [{ branding: { files: join(base, 'file') } }, /branding\.files/],
    [{ branding: { files: join(base, 'missing') } }, /branding\.files/],
    [{ branding: { files: 'a\u0000b' } }, /branding\.files/],
    [{ defaults: { viewMode: 'tiles' } }, /defaults\.viewMode/],
    [{ defaults: { locale: 'no locale' } }, /defaults\.locale/],
    [{ defaults: { sorting: { by: 'colour', asc: true } } }, /defaults\.sorting\.by/],
    [{ defaults: { scope: 'a\u0000' } }, /defaults\.scope/],
    [{ defaults: { theme: 'pink' } }, /defaults\.theme/],
    [{ defaults: { perm: { admin: 'yes' } } }, /defaults\.perm\.admin/],
    [{ defaults: { commands: ['git status'] } }, /defaults\.commands/],
    [{ userHomeBasePath: 'x/\u0000' }, /userHomeBasePath/],
    [{ rules: [rule, { ...rule, path: 'x' }] }, /rules\.1/],
    [{ rules: [rule, { ...rule, regex: true, regexp: { raw: '(?=look)' } }] }, /rules\.1.*RE2/],
    [{ rules: [{ ...rule, regex: true, regexp: { raw: '[' } }] }, /rules\.0/],
    [{ rules: [{ ...rule, regex: true }] }, /rules\.0/],
    [{ rules: { 0: rule } }, /rules/],
    [{ shell: 'bash -c' }, /shell/],
    [{ shell: [5] }, /shell\.0/],
    [{ commands: { before_save: 'one' } }, /commands\.before_save/],
    [{ commands: { before_save: ['a\nb'] } }, /commands\.before_save\.0/],
    [{ commands: { 'before save': [] } }, /commands/],
    [{ commands: [] }, /commands/],
    [{ branding: { name: 'changed' }, rules: [{ ...rule, path: '' }] }, /rules\.0/],
  ]
  for (const [payload, field] of refused) {
    const reply = await put(payload)
    t.match(reply, { statusCode: 400, body: field }, `${JSON.stringify(payload)}: ${reply.body}`)
  }
  t.strictSame(document.data, before)
})

t.test('an administrator who is demoted while the change waits changes nothing', async (t) => {
  const { services, document } = await open(t)
  const before = structuredClone(document.data.settings)
  const [admin] = Object.values(document.data.users)
  // Changes of the state run one after the other.
  const demotion = document.update(({ users }) => {
    for (const user of Object.values(users)) user.perm.admin = user.id !== admin?.id
  })
  await t.rejects(services.settings.change(admin, { signup: true }), { code: 'auth.forbidden' })
  await demotion
  t.strictSame(document.data.settings, before)
})

t.test('the page has new settings at once', async (t) => {
  const { call, put } = await open(t)
  const page = async () => {
    const { body } = await call('GET', '/login')
    return { body, settings: JSON.parse(/<script[^>]*>(.*?)<\/script>/s.exec(body)?.[1] ?? '') }
  }
  t.match((await page()).settings, { Name: '', Signup: false, Theme: '', HideLoginButton: false, CSS: false })
  const name = '</title><script>alert(1)</script>`$& \u2028 {{7*7}}'
  const branding = {
    name,
    theme: 'dark',
    color: '#123abc',
    disableExternal: true,
    disableUsedPercentage: true,
  }
  const tus = { chunkSize: 65536, retryCount: 0 }
  t.equal((await put({ branding, signup: true, hideLoginButton: true, tus })).statusCode, 200)
  const { body, settings } = await page()
  t.match(settings, {
    Name: name,
    Signup: true,
    HideLoginButton: true,
    Theme: 'dark',
    Color: '#123abc',
    DisableExternal: true,
    DisableUsedPercentage: true,
    TusSettings: tus,
  })
  t.notMatch(body, /<script>alert/)
})

t.test('a global rule applies as soon as it is saved', async (t) => {
  const { as, put } = await open(t)
  const alice = await as('alice')
  t.equal((await alice('GET', '/api/resources/secret/a.txt')).statusCode, 200)
  await put({ rules: [{ allow: false, path: '/secret', regex: false, regexp: { raw: '' } }] })
  t.equal((await alice('GET', '/api/resources/secret/a.txt')).statusCode, 403)
  await put({ rules: null })
  t.equal((await alice('GET', '/api/resources/secret/a.txt')).statusCode, 200)
})

t.test('the minimum password length applies as soon as it is saved', async (t) => {
  const { admin, put } = await open(t)
  await put({ minimumPasswordLength: 30 })
  const payload = { what: 'user', which: [], data: { username: 'bob', password } }
  t.match(await admin('POST', '/api/users', { payload }), { statusCode: 400, body: /minimum length is 30/ })
})

t.test(
  'with home folders, a new user sees only an empty home folder, whatever the default scope is',
  async (t) => {
    const { put, call, as, root } = await open(t)
    mkdirSync(join(root, 'users'))
    for (const [name, scope] of [
      ['eve', '.'],
      ['eva', '/'],
      ['evi', ''],
      ['evo', '/secret'],
    ] as const) {
      await put({ signup: true, createUserDir: true, defaults: { scope } })
      const payload = { username: name, password }
      t.equal((await call('POST', '/api/signup', { payload })).statusCode, 200)
      const listing = (await (await as(name))('GET', '/api/resources/')).json()
      t.match(listing, { items: [], numDirs: 0, numFiles: 0 }, name)
    }
  },
)

t.test('a hook command must have its variables in double quotes if a shell runs it', async (t) => {
  const { get, put, document } = await open(t)
  const commands = { before_save: ['true'], after_upload: ['echo "$FILE"', 'scan $FILE'] }
  t.equal((await put({ commands })).statusCode, 200, 'without a shell, values are not split')
  const refusal = {
    statusCode: 400,
    body: /commands\.after_upload: line 2 \(scan \$FILE\) cannot run in the shell.* write .*\$FILE.*, in double quotes/,
  }
  t.match(await put({ shell: ['sh', '-c'] }), refusal, 'a shell cannot be set with such a line')
  t.match(await put({ shell: ['sh', '-c'], commands }), refusal)
  t.strictSame((await get()).shell, [])
  const quoted = { ...commands, after_upload: ['scan "$FILE"'] }
  t.equal((await put({ shell: ['sh', '-c'], commands: quoted })).statusCode, 200)
  t.match(await put({ commands }), refusal)
  t.strictSame((await get()).commands.after_upload, quoted.after_upload)
  const old = { shell: ['sh', '-c'], commands: { ...(await get()).commands, ...commands } }
  await document.update((draft) => void Object.assign(draft.settings, old))
  t.equal(
    (await put({ ...(await get()), signup: false })).statusCode,
    200,
    'an unchanged old line is accepted',
  )
  t.equal((await put({ shell: [] })).statusCode, 200)
})
