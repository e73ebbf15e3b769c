import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { happenings } from '#src/testing/link-happenings.ts'
import { mailAccount, type ReceivedMail, receiveMail, textOf } from '#src/testing/mail-server.ts'
import { start } from '#src/testing/start.ts'
import { systemTool } from '#src/testing/system-tool.ts'
import { mailAddress } from './mail-address.ts'

const people = { ann: {}, bob: {} }

async function begin(t: Test, given: object = {}) {
  const running = await start(t, { tree: { inbox: {}, 'a.txt': 'a' }, people })
  running.clock.stop()
  const server = await receiveMail(t)
  const call = async (method: string, path: string, payload?: object, name = 'ann') =>
    (await running.as(name))(method, `/api/${path}`, {
      ...(payload && { payload }),
      headers: { accept: 'application/json' },
    })
  const settings = {
    ...{ host: '127.0.0.1', port: server.port, security: 'none', user: '', from: 'coffer@files.example' },
    ...given,
  }
  const change = (more: object = {}) => call('PUT', 'settings/mail', { ...settings, ...more }, 'admin')
  const test = (to = 'ann@mail.example') => call('POST', 'settings/mail/test', { to }, 'admin')
  const ask = (address: string, name = 'ann') => call('PUT', 'notices/settings', { address }, name)
  const confirm = (code: string, name = 'ann') => call('POST', 'notices/settings/confirm', { code }, name)
  const told = happenings(running)
  const share = async (path: string, payload: object = {}) => {
    const { hash } = (await call('POST', `share${path}`, payload)).json<{ hash: string }>()
    told.notify(hash, ['mail'])
    return hash
  }
  return { ...running, ...told, server, call, change, test, ask, confirm, share }
}

const codeIn = (mail: ReceivedMail | undefined) => /^\d{6}$/m.exec(mail ? textOf(mail) : '')?.[0] ?? ''

/** With a confirmed address of ann. */
async function withAddress(t: Test, given: object = {}) {
  const all = await begin(t, given)
  await all.change()
  await all.ask('ann@mail.example')
  await all.confirm(codeIn(all.server.mails.pop()))
  return all
}

t.test('the owner of a share gets an e-mail in plain text', async (t) => {
  const { server, share, receive, due, clock, change } = await withAddress(t)
  await change({ url: 'https://files.example/base/' })
  const hash = await share('/inbox', { rights: 'upload', title: 'Pläne' })
  for (let n = 1; n <= 6; n++) receive(hash, `/inbox/a #${n}.txt`, { size: 1_500_000, sender: 'Zoë' })
  clock.advance({ minutes: 1 })
  await due()
  const [mail] = server.mails
  if (!mail) throw new Error('nothing came')
  t.equal(server.mails.length, 1, 'one for all files')
  t.match(mail, { from: 'coffer@files.example', to: ['ann@mail.example'] })
  t.match(mail.text, /^Auto-Submitted: auto-generated\r$/m)
  t.match(mail.text, /^From: "?Coffer"? <coffer@files\.example>\r$/m)
  t.match(mail.text, /^To: "?<?ann@mail\.example>?\r$/m)
  t.match(mail.text, /^Content-Type: text\/plain; charset=utf-8\r$/m)
  t.match(mail.text, /^Message-ID: <[\w-]{22}@files\.example>\r$/m)
  const text = textOf(mail).replaceAll('\r', '')
  t.match(
    text,
    '6 files received through your link "Pläne"\n\nThe sender gave this name: Zoë\nSize: 9.0 MB\n- a #1.txt',
  )
  t.match(text, '- a #5.txt\nand 1 more\n')
  t.match(text, 'https://files.example/base/files/inbox\n')
  t.notMatch(mail.text, hash, 'the address of the share is not in it')
})

t.test('nothing but a code is sent to an address before it is confirmed', async (t) => {
  const { server, change, ask, confirm, share, visit, due, call } = await begin(t)
  t.match((await call('GET', 'notices/settings')).json(), { canMail: false })
  t.match((await ask('ann@mail.example')).json(), { code: 'mail.off' })
  await change()
  t.strictSame((await ask(' ann@Mail.Example ')).json(), { canMail: true, unconfirmed: 'ann@mail.example' })
  visit(await share('/a.txt'))
  await due()
  t.equal(server.mails.length, 1)
  const code = codeIn(server.mails[0])
  t.match((await confirm(code, 'bob')).json(), { code: 'mail.code' }, 'the code belongs to one user')
  t.match((await confirm(code === '000000' ? '000001' : '000000')).json(), { code: 'mail.code' })
  t.strictSame((await confirm(` ${code} `)).json(), { canMail: true, address: 'ann@mail.example' })
  t.match((await confirm(code)).json(), { code: 'mail.code' }, 'once')
  visit(await share('/inbox'))
  await due()
  t.match(server.mails[1]?.text, /^Subject: .*first_time/m)
  t.strictSame((await ask('other@mail.example')).json(), {
    ...{ canMail: true, address: 'ann@mail.example', unconfirmed: 'other@mail.example' },
  })
  t.strictSame((await ask('')).json(), { canMail: true })
})

t.test('a code is valid for half an hour and five attempts', async (t) => {
  const { server, change, ask, confirm, clock } = await begin(t)
  await change()
  await ask('ann@mail.example')
  clock.advance({ minutes: 31 })
  t.match((await confirm(codeIn(server.mails[0]))).json(), { code: 'mail.code' })
  await ask('ann@mail.example')
  const code = codeIn(server.mails[1])
  const wrong = code === '123456' ? '654321' : '123456'
  const replies = await Promise.all(Array.from({ length: 10 }, () => confirm(wrong)))
  t.ok(replies.every(({ statusCode }) => statusCode === 422))
  t.match((await confirm(code)).json(), { code: 'mail.code' })
})

t.test('the number of e-mails with codes is limited', async (t) => {
  const { server, change, ask, clock } = await begin(t)
  await change()
  const codes: string[] = []
  for (let n = 0; n < 4; n++) codes.push((await ask('same@mail.example')).json().code ?? 'sent')
  t.strictSame(codes, ['sent', 'sent', 'sent', 'request.limited'], 'to one address')
  t.match((await ask('Same@mail.example', 'bob')).json(), { code: 'request.limited' }, 'whoever asks')
  for (const name of ['b', 'c', 'd']) await ask(`${name}@mail.example`)
  t.equal(server.mails.length, 5, 'for one user')
  clock.advance({ minutes: 61 })
  t.match((await ask('same@mail.example')).json(), { unconfirmed: 'same@mail.example' })
})

t.test('only one plain address is accepted', async (t) => {
  const { server, change, ask, test } = await begin(t)
  await change()
  const refused = [
    ...['x', '@mail.example', 'a@', 'a b@mail.example', 'a@mail.example, b@mail.example', '<a@mail.example>'],
    ...[
      'a@mail.example\r\nBcc: b@mail.example',
      'a\r\nRCPT TO:<b@x.example>@mail.example',
      '"a"@mail.example',
    ],
    ...[
      'a@b@mail.example',
      'Ann <a@mail.example>',
      'a@mail..example',
      'a@-x.example',
      'a@mail.example.',
      '.a@x.example',
    ],
    ...[
      'a..b@x.example',
      'a@[127.0.0.1]',
      'a\0@x.example',
      `${'a'.repeat(65)}@x.example`,
      'a@x.example;b@y.example',
    ],
  ]
  for (const address of refused) {
    t.match((await ask(address)).json(), { status: 422, code: 'mail.address' }, JSON.stringify(address))
    t.match((await test(address)).json(), { code: 'mail.address' }, JSON.stringify(address))
    t.match((await change({ from: address })).json(), { code: 'mail.address' }, JSON.stringify(address))
  }
  t.equal(server.mails.length, 0)
  t.equal(mailAddress('ann+x@BÜCHER.example'), 'ann+x@xn--bcher-kva.example')
})

t.test('what visitors write becomes no line of a header and no address', async (t) => {
  const { server, share, receive, due, clock, document } = await withAddress(t)
  await document.update(({ settings }) => {
    settings.branding.name = 'Files" <evil@x.example>,\r\nBcc: evil@x.example'
  })
  const evil = 'x\r\nBcc: evil@x.example\r\n\r\nbody\r\n.\r\nRCPT TO:<evil@x.example>'
  const hash = await share('/inbox', { rights: 'upload', title: evil })
  receive(hash, `/inbox/${evil}`, { sender: evil })
  clock.advance({ minutes: 1 })
  await due()
  const [mail] = server.mails
  t.strictSame(mail?.to, ['ann@mail.example'])
  const [head = ''] = mail?.text.split('\r\n\r\n') ?? []
  t.strictSame(
    head
      .split('\r\n')
      .map((line) => /^[\w-]+(?=: )/.exec(line)?.[0].toLowerCase() ?? line)
      .sort(),
    [
      ...['auto-submitted', 'content-transfer-encoding', 'content-type', 'date', 'from', 'message-id'],
      ...['mime-version', 'subject', 'to', 'x-auto-response-suppress'],
    ],
  )
  t.match(head, /^From: .*<coffer@files\.example>$/m)
})

t.test('the settings never contain the password, which stays unless the server is another one', async (t) => {
  const { call, change, server, test, document, services } = await begin(t, { user: mailAccount.user })
  t.match((await call('GET', 'settings/mail', undefined, 'admin')).json(), { host: '', hasPassword: false })
  const password = mailAccount.pass
  const reply = await change({ password })
  t.match(reply.json(), { host: '127.0.0.1', hasPassword: true, user: mailAccount.user })
  await change({ from: 'other@files.example' })
  t.equal((await test()).statusCode, 200)
  t.match(server.mails, [{ user: mailAccount.user, from: 'other@files.example', to: ['ann@mail.example'] }])
  const texts = [
    reply.body,
    ...(await Promise.all(
      ['settings/mail', 'settings', 'users', 'doctor', 'audit'].map((path) =>
        call('GET', path, undefined, 'admin'),
      ),
    ).then((all) => all.map(({ body }) => body))),
    JSON.stringify(await services.doctor.bundle()),
  ]
  for (const text of texts) t.notMatch(text, password)
  t.notMatch(texts.at(-1), 'files.example')
  t.notMatch(JSON.stringify(document.data.settings), password)
  for (const other of [{ host: 'localhost' }, { port: 26 }, { user: 'other' }]) {
    await change({ password })
    t.match((await change(other)).json(), { hasPassword: false }, 'it is never sent to another server')
  }
  await change({ password })
  t.match((await change({ password: '' })).json(), { hasPassword: false })
})

t.test('only administrators see and change the mail server, with a proof', async (t) => {
  const { call, change, clock, login, as, call: ask } = await begin(t)
  for (const [method, path] of [
    ['GET', 'settings/mail'],
    ['PUT', 'settings/mail'],
    ['POST', 'settings/mail/test'],
  ] as const)
    t.equal((await ask(method, path, { to: 'x' })).statusCode, 403, path)
  t.ok(await login('admin'))
  const admin = await as('admin')
  clock.advance({ minutes: 11 })
  const payload = { host: '', port: 25, security: 'none', user: '', from: '' }
  t.equal((await admin('PUT', '/api/settings/mail', { payload })).statusCode, 401)
  const refused = [{ host: 'a b' }, { host: 'a\r\nb' }, { port: 0 }, { security: 'ssl' }, { user: 'a\r\nb' }]
  for (const bad of [...refused, { password: 'a\nb' }, { url: 'ftp://x' }, { url: 'https://a:b@x' }])
    t.equal((await change(bad)).statusCode, 400, JSON.stringify(bad))
  t.match((await call('GET', 'settings/mail', undefined, 'admin')).json(), { host: '' })
})

t.test('a test says what failed', async (t) => {
  const { change, test, server } = await begin(t)
  t.match((await test()).json(), { status: 404, code: 'mail.off' })
  await change()
  t.equal((await test()).statusCode, 200)
  t.match(server.mails[0]?.text, /^Subject: Test e-mail of Coffer/m)
  t.match((await test('nobody@mail.example')).json(), { code: 'mail.refused', detail: /550 .*no such user/ })
  await change({ user: mailAccount.user, password: 'wrong' })
  t.match((await test()).json(), { code: 'mail.auth', detail: /535/ })
  await change({ security: 'starttls' })
  t.match((await test()).json(), { code: 'mail.tls' }, 'a server without encryption')
  await change({ port: 1 })
  t.match((await test()).json(), { status: 422, code: 'mail.unreachable', detail: /ECONNREFUSED/ })
  t.equal(server.mails.length, 1)
})

t.test('refuses a certificate that no known authority has signed', async (t) => {
  const { change, test, base } = await begin(t)
  const [key, cert] = [join(base, 'key.pem'), join(base, 'cert.pem')]
  try {
    const shape = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
    const names = [
      '-subj',
      '/CN=127.0.0.1',
      '-addext',
      'subjectAltName=IP:127.0.0.1',
      '-keyout',
      key,
      '-out',
      cert,
    ]
    execFileSync(systemTool('openssl'), [...shape, ...names], { stdio: 'pipe' })
  } catch {
    t.pass('a certificate', { skip: 'this system has no openssl to make one' })
    return
  }
  const own = { key: readFileSync(key), cert: readFileSync(cert) }
  const starttls = await receiveMail(t, { ...own, disabledCommands: [] })
  const { user, pass: password } = mailAccount
  await change({ port: starttls.port, security: 'starttls', user, password })
  t.match((await test()).json(), { code: 'mail.tls', detail: /self-signed/ })
  const tls = await receiveMail(t, { ...own, secure: true })
  await change({ port: tls.port, security: 'tls' })
  t.match((await test()).json(), { code: 'mail.tls', detail: /self-signed/ })
  t.strictSame([starttls.mails, tls.mails], [[], []])
})

t.test('an e-mail is tried again after a failure, unless it was refused for good', async (t) => {
  const { server, share, visit, due, clock, services } = await withAddress(t)
  const states = async () =>
    await services.database.read<{ state: string; attempts: number }>(
      'SELECT state, attempts FROM deliveries ORDER BY time, id',
    )
  server.answer = Object.assign(new Error('try later'), { responseCode: 451 })
  visit(await share('/a.txt'))
  await due()
  t.strictSame(await states(), [{ state: 'waiting', attempts: 1 }])
  server.answer = undefined
  clock.advance({ minutes: 2 })
  await due()
  t.strictSame(await states(), [{ state: 'done', attempts: 2 }])
  t.equal(server.mails.length, 1)
  server.answer = Object.assign(new Error('no such user'), { responseCode: 550 })
  visit(await share('/inbox'))
  await due()
  t.match(
    (await states()).find(({ attempts }) => attempts === 1),
    { state: 'failed' },
  )
})

t.test('a user gets the same notice on several channels', async (t) => {
  const { server, share, visit, notify, due, call } = await withAddress(t)
  const hash = await share('/a.txt')
  notify(hash, ['page', 'mail', 'webhook'])
  visit(hash)
  await due()
  t.equal(server.mails.length, 1)
  t.equal((await call('GET', 'notices')).json().unread, 1)
})
