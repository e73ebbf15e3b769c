import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { Config } from '#src/config/config.ts'
import { password, start } from '#src/testing/start.ts'
import { until } from '#src/testing/wire.ts'

const tree = { ann: { 'a.txt': 'one', docs: {} } }

/** A server with a user ann in her own scope, and with these bound commands. */
async function open(t: Test, commands: Record<string, string[]>, config: Partial<Config> = {}) {
  const people = { ann: { scope: '/ann' } }
  const made = await start(t, { tree, people, config: { enableExec: true, ...config } })
  await made.document.update((draft) => {
    Object.assign(draft.settings.commands, commands)
  })
  return { ...made, ann: await made.as('ann'), home: join(made.root, 'ann') }
}

/** A command that creates the file `running` and waits until the file `ended` exists. */
const waiting = (running: string, ended: string) =>
  `sh -c 'touch ${running}; until test -e ${ended}; do sleep 0.01; done'`

const events = ['upload', 'save', 'copy', 'rename', 'delete'] as const
const to = (path: string) => `destination=${encodeURIComponent(path)}`

/** One request for each event. */
const calls: Record<(typeof events)[number], [method: string, url: string, rest?: object]> = {
  upload: ['POST', '/api/resources/new.txt', { payload: 'two' }],
  save: ['PUT', '/api/resources/a.txt', { payload: 'two' }],
  copy: ['PATCH', `/api/resources/a.txt?action=copy&${to('/b.txt')}`],
  rename: ['PATCH', `/api/resources/a.txt?action=rename&${to('/b.txt')}`],
  delete: ['DELETE', '/api/resources/a.txt'],
}

for (const event of events) {
  t.test(`runs commands before and after every ${event}, with its variables`, async (t) => {
    const script = "sh -c 'echo $TRIGGER,$FILE,$DESTINATION,$SCOPE,$USERNAME,$COFFER_PASSWORD >>$SCOPE.log' x"
    const { ann, base, home, document } = await open(t, {})
    await document.update((draft) => {
      const line = script.replace('$SCOPE.log', join(base, 'told.log'))
      Object.assign(draft.settings.commands, { [`before_${event}`]: [line], [`after_${event}`]: [line] })
    })
    const [method, url, rest] = calls[event]
    t.equal((await ann(method, url, rest)).statusCode, 200)
    const file = join(home, event === 'upload' ? 'new.txt' : 'a.txt')
    const target = ['copy', 'rename'].includes(event) ? join(home, 'b.txt') : home
    t.strictSame(readFileSync(join(base, 'told.log'), 'utf8').split('\n'), [
      `before_${event},${file},${target},/ann,ann,`,
      `after_${event},${file},${target},/ann,ann,`,
      '',
    ])
  })

  t.test(`a failing command before a ${event} cancels it`, async (t) => {
    const { ann, home } = await open(t, { [`before_${event}`]: ['true', 'false', 'touch $FILE.never'] })
    const [method, url, rest] = calls[event]
    const reply = await ann(method, url, rest)
    t.match(reply, {
      statusCode: 500,
      body: /a command that runs before every .* failed; nothing was changed/,
    })
    t.strictSame(readdirSync(home).sort(), ['a.txt', 'docs'])
    t.equal(readFileSync(join(home, 'a.txt'), 'utf8'), 'one')
  })

  t.test(`a failing command after a ${event} returns an error, and the ${event} is done`, async (t) => {
    const { ann, home } = await open(t, { [`after_${event}`]: ['false'] })
    const [method, url, rest] = calls[event]
    const reply = await ann(method, url, rest)
    t.match(reply, { statusCode: 500, body: /done, but a command that runs after every/ })
    t.not(
      `${readdirSync(home).sort()} ${existsSync(join(home, 'a.txt')) && readFileSync(join(home, 'a.txt'))}`,
      'a.txt,docs one',
    )
  })

  t.test(`a user who loses access while a command runs before a ${event} cannot do it`, async (t) => {
    const { ann, base, home, document } = await open(t, {})
    const [running, ended] = [join(base, 'running'), join(base, 'ended')]
    await document.update((draft) => {
      draft.settings.commands[`before_${event}`] = [waiting(running, ended)]
    })
    const [method, url, rest] = calls[event]
    const reply = ann(method, url, rest)
    await until(() => existsSync(running))
    await document.update((draft) => {
      const none = { create: false, modify: false, rename: false, delete: false }
      for (const user of Object.values(draft.users))
        if (user.username === 'ann') Object.assign(user.perm, none)
    })
    writeFileSync(ended, '')
    t.equal((await reply).statusCode, 403)
    t.strictSame(readdirSync(home).sort(), ['a.txt', 'docs'])
    t.equal(readFileSync(join(home, 'a.txt'), 'utf8'), 'one')
  })
}

t.test('a user who loses access while a command runs before a publish changes no draft', async (t) => {
  const draft = '---\ndraft: true\n---\n'
  const { as, base, root, document } = await start(t, {
    tree: { blog: { content: { 'sea.md': draft } } },
    people: { pat: { perm: { publish: true } } },
    config: { enableExec: true, staticgen: 'hugo' },
  })
  const [running, ended] = [join(base, 'running'), join(base, 'ended')]
  const payload = { staticGen: { Root: '/blog' }, current_password: password }
  t.equal((await (await as('admin'))('PUT', '/api/settings', { payload })).statusCode, 200)
  await document.update((draft) => {
    draft.settings.commands.before_publish = [waiting(running, ended)]
  })
  const file = join(root, 'blog/content/sea.md')
  const changed = () => statSync(file, { bigint: true }).ctimeNs
  const before = changed()
  const reply = (await as('pat'))('POST', '/api/publish/blog/content/sea.md')
  await until(() => existsSync(running))
  await document.update((draft) => {
    for (const user of Object.values(draft.users)) if (user.username === 'pat') user.perm.publish = false
  })
  writeFileSync(ended, '')
  t.equal((await reply).statusCode, 403)
  t.equal(readFileSync(file, 'utf8'), draft)
  t.equal(changed(), before, 'nothing was written')
})

t.test('without --enable-exec no command runs', async (t) => {
  const { ann, home } = await open(
    t,
    { before_upload: ['false'], after_upload: ['touch $FILE.done'] },
    { enableExec: false },
  )
  t.equal((await ann('POST', '/api/resources/new.txt')).statusCode, 200)
  t.strictSame(readdirSync(home).sort(), ['a.txt', 'docs', 'new.txt'])
})

t.test('runs no command for a refused operation', async (t) => {
  const { ann, home } = await open(
    t,
    Object.fromEntries(events.map((event) => [`before_${event}`, ['touch $FILE.ran']])),
  )
  const refused = [
    ['POST', '/api/resources/a.txt', 409],
    ['PUT', '/api/resources/docs', 405],
    ['DELETE', '/api/resources/missing', 404],
    ['PATCH', `/api/resources/a.txt?action=copy&${to('/docs')}`, 409],
    ['PATCH', `/api/resources/missing?action=rename&${to('/x')}`, 404],
  ] as const
  for (const [method, url, status] of refused) t.equal((await ann(method, url)).statusCode, status, url)
  t.strictSame(readdirSync(home).sort(), ['a.txt', 'docs'])
})

t.test('runs a line that ends with an ampersand in the background', async (t) => {
  const { ann, home } = await open(t, {
    after_upload: ['sh -c \'until test -e "$DESTINATION/go"; do sleep 0.01; done; touch "$FILE.done"\' &'],
  })
  t.equal((await ann('POST', '/api/resources/new.txt')).statusCode, 200)
  t.notOk(existsSync(join(home, 'new.txt.done')))
  t.equal((await ann('PUT', '/api/resources/go')).statusCode, 200)
  await until(() => existsSync(join(home, 'new.txt.done')))
})

t.test('G05: a program gets a name as one argument, and a script gets it from the environment', async (t) => {
  const lines = [
    'touch $FILE.seen',
    'sh -c \'touch "$FILE"\'',
    'echo $(touch p) ; touch p',
    'ls -d $DESTINATION',
  ]
  const { ann, base, home } = await open(t, { after_upload: lines.slice(0, 1), after_save: lines.slice(1) })
  const tricks = ['a;touch p;.txt', '$(touch p)', '`touch p`', '-rf', "' ; touch p ; '", '| touch p', '$HOME']
  for (const name of tricks) {
    const url = `/api/resources/${encodeURIComponent(name)}`
    t.equal((await ann('POST', url)).statusCode, 200, name)
    t.ok(existsSync(join(home, `${name}.seen`)), name)
    await ann('PUT', url)
  }
  const made = readdirSync(base, { recursive: true }).map(String)
  t.strictSame(
    made.filter((path) => /(^|\/)p$/.test(path)),
    [],
  )
  t.notOk(existsSync('p') || existsSync('/p'))
})

t.test('a configured shell gets each bound line as its last argument', async (t) => {
  const { ann, base, home, document } = await open(t, {})
  const log = join(base, 'told.log')
  const bind = (shell: string[], commands: Record<string, string[]>) =>
    document.update((draft) => {
      Object.assign(draft.settings, { shell, commands })
    })
  await bind(['sh', '-c'], {
    before_upload: [`echo "$TRIGGER $USERNAME $0" >>'${log}' && echo "\${FILE##*/}" | tr a-z A-Z >>'${log}'`],
    after_upload: ['test -e "$FILE" && touch "$FILE.done"; exit 3'],
  })
  t.match(await ann('POST', '/api/resources/new.txt'), {
    statusCode: 500,
    body: /done, but a command that runs after/,
  })
  t.equal(readFileSync(log, 'utf8'), 'before_upload ann sh\nNEW.TXT\n')
  t.strictSame(readdirSync(home).sort(), ['a.txt', 'docs', 'new.txt', 'new.txt.done'])
  await bind([join(home, 'sh'), '-c'], { before_upload: ['true'] })
  writeFileSync(join(home, 'sh'), '#!/bin/sh\n')
  chmodSync(join(home, 'sh'), 0o755)
  t.equal(
    (await ann('POST', '/api/resources/b.txt')).statusCode,
    500,
    'a shell in the served folder never runs',
  )
  t.notOk(existsSync(join(home, 'b.txt')))
})

t.test('G05: with a shell, a script gets a name from the environment and never as code', async (t) => {
  const { ann, base, home, document } = await open(t, { after_upload: ['touch "$FILE.seen"', 'ls $FILE'] })
  await document.update((draft) => {
    draft.settings.shell = ['sh', '-c']
  })
  for (const name of [
    'a;touch p;',
    '$(touch p)',
    '`touch p`',
    "' ; touch p ; '",
    '"; touch p; "',
    '-rf',
    '| touch p',
  ]) {
    const reply = await ann('POST', `/api/resources/${encodeURIComponent(name)}`)
    t.ok([200, 500].includes(reply.statusCode), `${name}: ${reply.body}`)
    t.ok(existsSync(join(home, `${name}.seen`)), name)
  }
  const made = readdirSync(base, { recursive: true }).map(String)
  t.strictSame(
    made.filter((path) => /(^|\/)p$/.test(path)),
    [],
  )
  t.notOk(existsSync('p') || existsSync('/p'))
})

t.test('with a shell, a line with a variable outside double quotes does not run and is logged', async (t) => {
  const log = join(t.testdirName, 'coffer.log')
  const { ann, home, document } = await open(t, { before_upload: ['ls $FILE; touch "$FILE.ran"'] }, { log })
  const upload = () => ann('POST', '/api/resources/new.txt')
  await document.update((draft) => {
    draft.settings.shell = ['sh', '-c']
  })
  t.match(await upload(), { statusCode: 500, body: /a command that runs before every upload failed/ })
  t.strictSame(readdirSync(home).sort(), ['a.txt', 'docs'])
  t.match(
    readFileSync(log, 'utf8'),
    /the server did not run a bound command .*the shell would split the value of \$FILE/,
  )
  await document.update((draft) => {
    draft.settings.commands.before_upload = ['ls "$FILE"; touch "$FILE.ran"']
  })
  t.equal((await upload()).statusCode, 200)
  t.strictSame(readdirSync(home).sort(), ['a.txt', 'docs', 'new.txt', 'new.txt.ran'])
})

t.test('never runs a program in the served folder, even if a line names it', async (t) => {
  const { ann, home, document } = await open(t, {})
  writeFileSync(join(home, 'tool'), '#!/bin/sh\n')
  chmodSync(join(home, 'tool'), 0o755)
  for (const line of [join(home, 'tool'), './tool', 'tool', "sh 'unclosed", '']) {
    await document.update((draft) => {
      draft.settings.commands.before_upload = [line]
    })
    t.equal((await ann('POST', '/api/resources/new.txt')).statusCode, 500, line)
  }
  t.notOk(existsSync(join(home, 'new.txt')))
})

t.test('logs the output and the failure of bound commands', async (t) => {
  const log = join(t.testdirName, 'coffer.log')
  const { ann } = await open(t, { after_upload: ["sh -c 'echo hello; exit 3'"] }, { log })
  await ann('POST', '/api/resources/new.txt')
  const said = readFileSync(log, 'utf8')
  t.match(said, /a bound command printed output trigger=after_upload user=ann .*output=hello/)
  t.match(said, /a bound command failed .*code=3/)
})

t.test('G05: an old user name that begins with a dash can sign in and never becomes an option', async (t) => {
  const log = join(t.testdirName, 'coffer.log')
  const made = await start(t, {
    tree,
    people: { '-rf': { scope: '/ann' } },
    config: { enableExec: true, log },
  })
  const home = join(made.root, 'ann')
  const old = await made.as('-rf')
  const bind = (lines: Record<string, string[]>) =>
    made.document.update((draft) => {
      Object.assign(draft.settings.commands, lines)
    })
  await bind({ before_delete: ['true', 'rm $FILE $USERNAME'], after_save: ['test $USERNAME'] })
  t.match(await old('DELETE', '/api/resources/a.txt'), {
    statusCode: 500,
    body: /a command that runs before every delete failed; nothing was changed/,
  })
  t.strictSame(readdirSync(home).sort(), ['a.txt', 'docs'], 'the file and the folder stay')
  t.equal((await old('PUT', '/api/resources/a.txt', { payload: 'two' })).statusCode, 500)
  const said = readFileSync(log, 'utf8')
  const sentence = 'the program would read the value of \\$USERNAME as an option; put the argument --'
  t.match(
    said,
    new RegExp(`the server did not run a bound command trigger=before_delete user=-rf .*${sentence}`),
  )
  t.match(
    said,
    new RegExp(`the server did not run a bound command trigger=after_save user=-rf .*${sentence}`),
  )
  await bind({ before_delete: ['test --name=$USERNAME'], after_delete: ['touch -- $FILE.$USERNAME'] })
  t.equal((await old('DELETE', '/api/resources/a.txt')).statusCode, 200)
  t.strictSame(readdirSync(home).sort(), ['a.txt.-rf', 'docs'])
})

/** A server with a file and a folder whose names are not UTF-8, as other programs create them. */
async function openLatin(t: Test, commands: Record<string, string[]>) {
  const made = await open(t, commands)
  const inHome = (name: string) => Buffer.concat([Buffer.from(`${made.home}/`), Buffer.from(name, 'latin1')])
  writeFileSync(inHome('caf\xe9'), 'one')
  mkdirSync(inHome('gr\xfcn'))
  const names = () =>
    readdirSync(made.home, { recursive: true, encoding: 'buffer' })
      .map((name) => name.toString('latin1'))
      .sort()
  return { ...made, inHome, names }
}

const latinFile = encodeURIComponent('caf\ufffd%E9')
const latinFolder = encodeURIComponent('gr\ufffd%FCn')
const double = (path: string) => encodeURIComponent(path.split('/').map(encodeURIComponent).join('/'))
const latinCalls: [event: string, method: string, url: string, rest?: object][] = [
  ['upload', 'POST', `/api/resources/${latinFolder}/x.exe`, { payload: 'x' }],
  ['upload', 'POST', `/api/resources/${latinFile}?override=true`, { payload: 'x' }],
  ['upload', 'POST', `/api/tus/${latinFolder}/x.exe`, { headers: { 'upload-length': '1' } }],
  ['upload', 'POST', `/api/tus/${latinFolder}/x.exe`, { headers: { 'upload-length': '0' } }],
  ['save', 'PUT', `/api/resources/${latinFile}`, { payload: 'x' }],
  ['save', 'PUT', `/api/resources/${latinFolder}/x.exe`, { payload: 'x' }],
  ['rename', 'PATCH', `/api/resources/${latinFile}?action=rename&destination=${double('/x.exe')}`],
  ['rename', 'PATCH', `/api/resources/a.txt?action=rename&destination=${double('/gr\ufffd%FCn/x.exe')}`],
  ['copy', 'PATCH', `/api/resources/${latinFile}?action=copy&destination=${double('/x.exe')}`],
  ['copy', 'PATCH', `/api/resources/a.txt?action=copy&destination=${double('/gr\ufffd%FCn/x.exe')}`],
  ['delete', 'DELETE', `/api/resources/${latinFile}`],
  ['delete', 'DELETE', `/api/resources/${latinFolder}`],
]

for (const when of ['before', 'after']) {
  t.test(`a name that is not UTF-8 does not bypass commands bound ${when} an event`, async (t) => {
    const { ann, base, names, document } = await openLatin(t, {})
    await document.update((draft) => {
      const lines = (event: string) => [`${when}_${event}`, [`touch ${join(base, 'ran')}`]]
      Object.assign(draft.settings.commands, Object.fromEntries(events.map(lines)))
    })
    const was = names()
    for (const [event, method, url, rest] of latinCalls) {
      const reply = await ann(method, url, rest)
      const body = new RegExp(
        `not UTF-8, so the commands that run at every ${event} cannot receive it; nothing was changed`,
      )
      t.match(reply, { statusCode: 403, body }, `${method} ${url} ${reply.body}`)
    }
    const many = await ann('POST', '/api/delete/', { payload: { paths: ['caf\ufffd%E9'] } })
    t.match(many.json(), [{ status: 403, code: 'hook.name' }])
    t.strictSame(names(), was, 'nothing was created, moved or deleted')
    t.notOk(existsSync(join(base, 'ran')))
  })
}

t.test('accepts a name that is not UTF-8 in events without commands', async (t) => {
  const { ann, names } = await openLatin(t, { after_upload: ['true'] })
  const url = `/api/resources/${latinFile}?action=rename&destination=${double('/good.txt')}`
  t.equal((await ann('PATCH', url)).statusCode, 200)
  t.strictSame(names(), ['a.txt', 'docs', 'good.txt', 'gr\xfcn'])
  t.equal((await ann('POST', '/api/resources/x.exe', { payload: 'x' })).statusCode, 200)
})

t.test('a resumable upload does not bypass its command after its folder was moved', async (t) => {
  const { ann, names } = await openLatin(t, { after_upload: ['true'] })
  t.equal((await ann('POST', '/api/tus/docs/x.exe', { headers: { 'upload-length': '1' } })).statusCode, 201)
  const move = `/api/resources/docs?action=rename&destination=${double('/gr\ufffd%FCn/docs')}`
  t.equal((await ann('PATCH', move)).statusCode, 200)
  const headers = { 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' }
  const end = await ann('PATCH', `/api/tus/${latinFolder}/docs/x.exe`, { payload: 'x', headers })
  t.not(end.statusCode, 204, end.body)
  t.notOk(names().includes('gr\xfcn/docs/x.exe'))
})

t.test('a command gets a scope that is not UTF-8 as text', async (t) => {
  const { ann, base, root, document } = await openLatin(t, {})
  symlinkSync('ann', Buffer.concat([Buffer.from(`${root}/`), Buffer.from('\xe9', 'latin1')]))
  const log = join(base, 'told.log')
  await document.update((draft) => {
    for (const user of Object.values(draft.users)) if (user.username === 'ann') user.scope = '/\ufffd%E9'
    draft.settings.commands.before_upload = [`sh -c 'echo "$SCOPE" >>${log}'`]
  })
  t.equal((await ann('POST', '/api/resources/new.txt', { payload: 'x' })).statusCode, 200)
  t.equal(readFileSync(log, 'utf8'), '/\ufffd%E9\n')
})
