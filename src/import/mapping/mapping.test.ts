import { mkdirSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { fieldsOf } from '#src/import/reading/fields.ts'
import { createReport } from '#src/import/report/report.ts'
import { newSettings } from '#src/state/defaults.ts'
import { commandsOf, createPatternCheck, rulesOf } from './access.ts'
import { hooksOf, shellOf } from './hooks.ts'
import { createNames } from './names.ts'
import { preferencesOf } from './preferences.ts'
import { scopeOf } from './scopes.ts'
import { mapSettings } from './settings.ts'
import { mapSite } from './site.ts'
import { noteStartOptions } from './start-options.ts'
import { mapUsers } from './users.ts'

/** Collects the messages of the mapping, such as `dropped: reason`. */
function teller() {
  const told: string[] = []
  return { told, tell: (outcome: string, reason: string) => void told.push(`${outcome}: ${reason}`) }
}

const served = (root: string, more = {}) => ({
  ...{ root, secret: [], previousRoot: undefined, hasDiskScopes: false },
  ...more,
})
const fields = (value: object) => fieldsOf(value, 'it')

t.test('user names stay if possible, and otherwise differ from all others', async (t) => {
  const names = createNames()
  for (const [id, written, name, reason] of [
    [1, 'Anna', 'Anna', undefined],
    [2, 'anna', 'anna-2', /another user has the name anna/],
    [3, ' ANNA ', 'ANNA-3', /another user/],
    [4, 'mu\u0308ller', 'müller', /normalized/],
    [5, '', 'user-5', /empty/],
    [6, '-rf', 'rf', /begins with -/],
    [7, 'b\u200bob', 'bob', /invisible/],
    [8, 'p\u0430ypal', 'user-8', /mixes alphabets/],
    [9, 'x'.repeat(70), 'x'.repeat(64), /too long/],
    [10, 'x'.repeat(80), `${'x'.repeat(61)}-10`, /another user/],
    [11, '..', 'user-11', /empty/],
    [12, 'user-12', 'user-12', undefined],
    [13, '__proto__', '__proto__', undefined],
    [14, '__PROTO__', '__PROTO__-14', /another user/],
  ] as const) {
    const mapped = names.of(written, id)
    t.equal(mapped.name, name)
    if (reason) t.match(mapped.reason, reason)
    else t.equal(mapped.reason, undefined)
  }
})

t.test('users keep their ids; a missing, double or too high id gets a new one', async (t) => {
  const root = realpathSync(t.testdir({}))
  const users = [7, 7, 0, -1, 2 ** 31, 3].map((id, n) =>
    fields({ id, username: `user${n}`, perm: { admin: true } }),
  )
  const mapped = await mapUsers(users, served(root), createReport())
  t.strictSame(
    mapped.map(({ record, previousId }) => [record.id, record.username, previousId]),
    [
      [3, 'user5', 3],
      [7, 'user0', 7],
      [8, 'user1', 7],
      [9, 'user2', 0],
      [10, 'user3', -1],
      [11, 'user4', 2 ** 31],
    ],
  )
})

t.test('a password hash that cannot be verified is dropped, and the user stays', async (t) => {
  const root = realpathSync(t.testdir({}))
  const report = createReport()
  const hash = '$2a$16$j3CgFYP.kXHbVPU77FjnGOzTTHWPYGWRfXqWDGhdWx/XzpaVWFeU6'
  const [user] = await mapUsers([fields({ id: 1, username: 'a', password: hash })], served(root), report)
  t.equal(user?.hash, undefined)
  t.match(report.report.lines.at(-1), { outcome: 'dropped', detail: /cost 16 .* needs a new one/ })
})

t.test('a rule is kept in its order, and one that cannot be kept never opens anything', async (t) => {
  const { told, tell } = teller()
  const rules = [
    { path: '/a', allow: false },
    { regex: true, regexp: { raw: '(?i)\\.key$' }, path: 'x'.repeat(5000) },
    { path: 'b' },
    { path: '', allow: true },
    { regex: true, regexp: { raw: '(?=a)' } },
    { regex: true, regexp: { raw: '' } },
    { regex: true, allow: true, regexp: { raw: '[' } },
    { path: `/${'x'.repeat(5000)}` },
    { path: '/c', allow: true, regexp: { raw: 'x'.repeat(2000) } },
  ].map(fields)
  const mapped = rulesOf(rules, createPatternCheck(), tell)
  const denyAll = { allow: false, path: '/', regex: false, regexp: null }
  t.match(mapped, [
    { allow: false, path: '/a', regex: false, regexp: null },
    { allow: false, regex: true, regexp: { raw: '(?i)\\.key$' } },
    denyAll,
    denyAll,
    denyAll,
    { allow: true, path: '/c' },
  ])
  t.equal(mapped.length, 6)
  t.match(told, [
    /dropped: rule 3 .*never matches/,
    /dropped: rule 4 .*never matches/,
    /changed: rule 5 now denies everything .*RE2/,
    /changed: rule 6 now denies everything/,
    /dropped: rule 7 .*RE2/,
    /changed: rule 8 now denies everything/,
  ])
})

t.test(
  'the patterns of all rules together have a limit, because hostile ones take long to check',
  async (t) => {
    const check = createPatternCheck()
    for (let n = 0; n < 100; n++) t.equal(check('a'.repeat(990)), undefined)
    t.match(check('('), /not a valid RE2 pattern/)
    for (let n = 0; n < 99; n++) check(`${n}${'b'.repeat(990)}`)
    t.throws(() => check('c'.repeat(1000)), { name: 'RecordFault' })
  },
)

t.test('commands are exact names of programs', async (t) => {
  const { told, tell } = teller()
  const entries = ['git', '', 'g++', '^ls$', 'git', 'git status', '/bin/sh', 'git.*', '(ls|cat)', 'node.js']
  t.strictSame(commandsOf(entries, tell), ['git', 'g++', 'ls', 'node.js'])
  t.match(told, [/changed: command \^ls\$ is now ls/, /git status/, /\/bin\/sh/, /git\.\*/, /\(ls\|cat\)/])
})

t.test('languages and views have the names that Coffer uses', async (t) => {
  for (const [written, locale, line] of [
    ['de', 'de', undefined],
    ['', '', undefined],
    ['pt-pt', 'pt', /pt-pt is pt/],
    ['zh-CN', 'zh-cn', /is zh-cn/],
    ['nl', 'nl-be', /is nl-be/],
    ['tr', '', /no translation for tr/],
    ['constructor', '', /no translation/],
  ] as const) {
    const { told, tell } = teller()
    t.equal(preferencesOf(fields({ locale: written }), tell).locale, locale)
    t.equal(told.length, line ? 1 : 0)
    if (line) t.match(told[0], line)
  }
  const { told, tell } = teller()
  const given = { VIEWMODE: 'mosaic gallery', sorting: { by: '', asc: true }, singleclick: true }
  t.match(preferencesOf(fields(given), tell), {
    ...{ viewMode: 'mosaic gallery', sorting: { by: 'name', asc: true }, singleClick: true },
    ...{ redirectAfterCopyMove: false, theme: '' },
  })
  t.strictSame(told, [])
  const odd = { viewMode: 'tiles', sorting: { by: 'colour' }, aceEditorTheme: '<x>' }
  t.match(preferencesOf(fields(odd), tell), { viewMode: 'list', sorting: { by: 'name' }, aceEditorTheme: '' })
  t.equal(told.length, 3)
})

async function scopes(t: Test, more = {}) {
  const root = realpathSync(t.testdir({ root: { users: { bob: {} } } }))
  const top = join(root, 'root')
  const { told, tell } = teller()
  return { top, told, scope: (written: string) => scopeOf(written, served(top, more), tell) }
}

t.test('a scope is a folder in the root, in normal form', async (t) => {
  const { scope, told } = await scopes(t)
  for (const [written, expected] of [
    ['', '/'],
    ['.', '/'],
    ['./', '/'],
    ['/', '/'],
    ['users/bob', '/users/bob'],
    ['./users//bob/', '/users/bob'],
    ['/users/bob', '/users/bob'],
    ['/missing', '/missing'],
  ] as const)
    t.equal(await scope(written), expected, written)
  t.strictSame(told, [])
  t.equal(await scope('../../etc'), '/etc')
  t.equal(await scope('/users/../..'), '/')
  t.equal(told.length, 2)
  await t.rejects(scope('a\u0000b'), { code: 'path.invalid' })
})

t.test('a scope that was a path of the disk becomes the same folder in the root', async (t) => {
  for (const hasDiskScopes of [true, false, undefined]) {
    const { top, scope, told } = await scopes(t, { hasDiskScopes, previousRoot: '/srv/files' })
    t.equal(await scope(`${top}/users/bob`), '/users/bob', 'the folder exists')
    t.equal(await scope('/srv/files/users/bob'), '/users/bob')
    t.equal(await scope('/srv/filesystem'), '/srv/filesystem')
    t.equal(await scope('/srv/files/gone'), hasDiskScopes === false ? '/srv/files/gone' : '/gone')
    t.match(told[0], /was a path of the disk: it is now \/users\/bob/)
    mkdirSync(`${top}/srv/files/users/bob`, { recursive: true })
    t.equal(await scope('/srv/files/users/bob'), '/srv/files/users/bob', 'the whole path exists in the root')
  }
})

t.test(
  'lines for a shell get quotes where the shell would split a value, and are dropped where that is not safe',
  async (t) => {
    const { told, tell } = teller()
    const commands = {
      after_upload: ['  echo $FILE ', 'mv ${FILE} "$DESTINATION"', "x \\$FILE 'it is' a$FILE.b", ''],
      before_save: ["sh -c 'rm $FILE'", 'echo "$(rm $FILE)"', 'echo ${FILE##*/}'],
      my_event: ['echo $HOME'],
      'no event': ['one'],
      before_copy: ['a\nb', 'x'.repeat(5000), ...Array(100).fill('ok')],
    }
    const hooks = hooksOf(fields(commands), ['sh', '-c'], tell)
    t.match(hooks, {
      after_upload: ['echo "$FILE"', 'mv "${FILE}" "$DESTINATION"', 'x \\$FILE \'it is\' a"$FILE".b'],
      before_save: [],
      my_event: ['echo $HOME'],
      after_delete: [],
      before_copy: Array(100).fill('ok'),
    })
    t.equal(told.filter((line) => line.startsWith('changed')).length, 3)
    t.equal(told.filter((line) => line.startsWith('dropped')).length, 6)
    t.strictSame(
      hooksOf(fields({ after_save: ['echo $FILE'] }), [], tell).after_save,
      ['echo $FILE'],
      'no shell',
    )
    t.strictSame(shellOf(['']), [])
    t.strictSame(shellOf(['bash', ' -c ']), ['bash', '-c'])
  },
)

t.test('settings outside of the limits of Coffer are changed, each with its reason', async (t) => {
  const root = realpathSync(t.testdir({}))
  const report = createReport()
  const given = {
    ...{
      minimumPasswordLength: 0,
      fileMode: 0o44,
      dirMode: 0x80000000 + 0o711,
      userHomeBasePath: '../homes/',
    },
    tus: { chunkSize: 1, retryCount: 1000 },
    branding: { name: 'a\u0007', color: 'url(x)', theme: 'pink', files: '/is/not/there' },
    defaults: { scope: '', perm: { admin: true } },
    ...{ logoutPage: 'https://example.org', hideDotfiles: true, key: 'x' },
    ...JSON.parse('{"constructor": {"signup": true}}'),
    ['__proto__']: { signup: true },
  }
  const settings = await mapSettings(fields(given), { base: newSettings(), served: served(root), report })
  t.match(settings, {
    ...{
      minimumPasswordLength: 1,
      fileMode: 0o644,
      dirMode: 0o711,
      userHomeBasePath: '/homes',
      signup: false,
    },
    tus: { chunkSize: 65_536, retryCount: 100 },
    branding: { name: '', color: '', theme: '', files: '/is/not/there' },
    defaults: { scope: '.', perm: { admin: true, create: true } },
  })
  const about = (outcome: string) =>
    report.report.lines.filter((line) => line.outcome === outcome).map(({ name }) => name)
  const dropped = ['branding', 'branding', 'branding', 'key', 'hideDotfiles', 'logoutPage']
  t.strictSame(about('dropped'), dropped)
  t.strictSame(about('changed'), ['minimumPasswordLength', 'fileMode', 'defaults', 'branding', 'tus', 'tus'])
})

t.test('a website that Coffer cannot publish is dropped with its reason', async (t) => {
  const report = createReport()
  const site = { staticgen_hugo: { Root: '/', Public: '/public', Exe: '/bin/sh', Args: [] } }
  t.equal(mapSite(fields(site), served('/srv'), report), undefined)
  t.match(report.report.lines, [{ name: 'staticgen_hugo', outcome: 'dropped', detail: /Exe/ }])
})

t.test('start options become flags of coffer serve', async (t) => {
  const flagsOf = (server: object, settings: object = {}, auther: object = {}) => {
    const report = createReport()
    const given = { server: fields(server), settings: fields(settings), auther: fields(auther) }
    noteStartOptions(given, report)
    return { ...report.report, text: report.report.flags.join(' ') }
  }
  t.equal(flagsOf({ address: '127.0.0.1', port: '8080', log: 'stdout', baseURL: '' }).text, '')
  const more = {
    address: '',
    port: '80',
    baseURL: '/files/',
    log: '/var/log/fb.log',
    tokenExpirationTime: '4h',
  }
  t.equal(
    flagsOf({ ...more, tlsCert: '/c.pem', tlsKey: '/k.pem', enableThumbnails: false, resizePreview: true })
      .text,
    '--address 0.0.0.0 --port 80 --baseurl /files/ --cert /c.pem --key /k.pem --log /var/log/fb.log --token-expiration 4h --disable-thumbnails',
  )
  t.equal(flagsOf({ socket: '/run/fb.sock', address: '1.2.3.4', port: '80' }).text, '--socket /run/fb.sock')
  t.match(flagsOf({ port: 'x' }).lines, [{ name: 'port', outcome: 'dropped' }])
  t.equal(flagsOf({}, { authMethod: 'noauth' }).text, '--noauth')
  t.match(flagsOf({}, { authMethod: 'proxy' }, { header: 'X-User' }), {
    flags: ['--auth-header', 'X-User'],
    advice: [/--trusted-proxy/],
  })
  t.match(flagsOf({}, { authMethod: 'hook' }, { command: 'x' }).lines, [
    { outcome: 'dropped', detail: /program/ },
  ])
  const captcha = flagsOf(
    {},
    { authMethod: 'json' },
    { recaptcha: { host: 'https://www.recaptcha.net/', key: 'KEY', secret: 'SECRET' } },
  )
  t.match(captcha, {
    text: '--recaptcha-key KEY --recaptcha-host https://www.recaptcha.net',
    advice: [/COFFER_RECAPTCHA_SECRET/],
  })
  t.notMatch(JSON.stringify(captcha), 'SECRET"')
})
