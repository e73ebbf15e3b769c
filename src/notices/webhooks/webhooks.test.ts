import t, { type Test } from 'tap'
import type { WebhookView } from '#contract/notices/webhook.ts'
import { isSigned, receiveHooks } from '#src/testing/hook-receiver.ts'
import { happenings } from '#src/testing/link-happenings.ts'
import { start } from '#src/testing/start.ts'
import { until } from '#src/testing/wire.ts'
import { retryDelays } from '../deliveries/retries.ts'

const people = { ann: {}, bob: {} }
const config = { webhookAllow: ['127.0.0.1'] }

async function begin(t: Test, choices: Parameters<typeof start>[1] = {}) {
  const running = await start(t, { tree: { inbox: {}, 'a.txt': 'a' }, people, config, ...choices })
  running.clock.stop()
  const call = async (method: string, path: string, payload?: object, name = 'ann') =>
    // Signs in each time, because the clock may have moved by days.
    (await running.as(name))(method, `/api/${path}`, payload && { payload })
  const set = async (url: string, enabled = true, name = 'ann') =>
    (await call('PUT', 'webhook', { url, enabled }, name)).json<WebhookView>()
  const look = async (name = 'ann') => (await call('GET', 'webhook', undefined, name)).json<WebhookView>()
  const told = happenings(running)
  const share = async (
    path: string,
    payload: object = {},
    channels: ('page' | 'mail' | 'webhook')[] = ['webhook'],
  ) => {
    const { hash } = (await call('POST', `share${path}`, payload)).json<{ hash: string }>()
    told.notify(hash, channels)
    return hash
  }
  return { ...running, ...told, call, set, look, share }
}

t.test('a webhook gets notices with a signature that its receiver can verify', async (t) => {
  const receiver = await receiveHooks(t)
  const { set, share, receive, due, clock, look, call } = await begin(t)
  const { secret = '' } = await set(receiver.url)
  const hash = await share('/inbox', { rights: 'upload', title: 'Grüße "x"' })
  receive(hash, '/inbox/ä.txt', { sender: 'Zoë' })
  receive(hash, '/inbox/b.txt', { sender: 'Zoë' })
  clock.advance({ minutes: 1 })
  const seconds = Math.floor(clock.now() / 1000)
  await due()
  const [hook] = receiver.hooks
  if (!hook) throw new Error('nothing came')
  t.ok(isSigned(hook, secret))
  t.match(hook, {
    method: 'POST',
    url: '/hook',
    headers: {
      'content-type': 'application/json',
      'webhook-timestamp': String(seconds),
      'webhook-id': /^[\w-]{22}$/,
    },
  })
  t.strictSame(JSON.parse(hook.body), {
    type: 'share.received',
    timestamp: new Date(clock.now() - 60_000).toISOString(),
    data: {
      ...{ title: 'Grüße "x"', share: hash, path: '/inbox', count: 2, bytes: 20 },
      ...{ names: ['ä.txt', 'b.txt'], sender: 'Zoë' },
    },
  })
  t.match(await look(), {
    url: receiver.url,
    enabled: true,
    deliveries: [
      { id: hook.headers['webhook-id'], type: 'share.received', state: 'done', attempts: 1, status: 204 },
    ],
  })
  const page = (await call('GET', 'notices')).json()
  t.equal(page.unread, 0, 'the page was not chosen')
})

t.test('the secret is shown once, stays with a new address, and can be renewed', async (t) => {
  const receiver = await receiveHooks(t)
  const { set, look, call, due } = await begin(t)
  const first = await set(receiver.url)
  t.match(first.secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
  t.notOk((await look()).secret)
  t.notOk((await set(`${receiver.url}?b`)).secret)
  const { secret } = (await call('POST', 'webhook/secret')).json<{ secret: string }>()
  t.not(secret, first.secret)
  await call('POST', 'webhook/test')
  await due()
  const [hook] = receiver.hooks
  t.ok(hook && isSigned(hook, secret) && !isSigned(hook, first.secret ?? ''))
  t.match(JSON.parse(hook?.body ?? ''), { type: 'webhook.test', data: {} })
  const removed = await set('')
  t.match(removed, { url: '', enabled: false, deliveries: [] })
  t.not((await set(receiver.url)).secret, undefined, 'a new webhook has a new secret')
})

t.test('each user has an own webhook', async (t) => {
  const [anns, bobs] = [await receiveHooks(t), await receiveHooks(t)]
  const { set, look, share, visit, due, call } = await begin(t)
  await set(anns.url)
  await set(bobs.url, true, 'bob')
  visit(await share('/a.txt'))
  await due()
  t.equal(anns.hooks.length, 1)
  t.equal(bobs.hooks.length, 0)
  t.strictSame((await look('bob')).deliveries, [])
  const [delivery] = (await look()).deliveries
  t.equal((await call('POST', `webhook/deliveries/${delivery?.id}`, undefined, 'bob')).statusCode, 404)
  t.equal((await call('POST', `webhook/deliveries/${delivery?.id}`)).statusCode, 200)
  await due()
  t.equal(
    anns.hooks[1]?.headers['webhook-id'],
    anns.hooks[0]?.headers['webhook-id'],
    'again, with the same id',
  )
  t.equal(anns.hooks[1]?.body, anns.hooks[0]?.body)
})

t.test('a failed delivery is repeated with its id, until the receiver accepts it', async (t) => {
  const receiver = await receiveHooks(t, (response) => response.writeHead(500).end('secret of the receiver'))
  const { set, look, share, visit, due, clock } = await begin(t)
  const { secret = '' } = await set(receiver.url)
  visit(await share('/a.txt'))
  await due()
  const state = await look()
  t.match(state.deliveries, [{ state: 'waiting', attempts: 1, status: 500, reason: 'status', next: /Z$/ }])
  t.notMatch(JSON.stringify(state), 'secret of')
  await due()
  t.equal(receiver.hooks.length, 1, 'not before its time')
  clock.advance({ seconds: 6 })
  await due()
  receiver.answer = (response) => response.writeHead(200).end()
  clock.advance({ minutes: 6 })
  await due()
  clock.advance({ days: 2 })
  await due()
  t.equal(receiver.hooks.length, 3)
  t.equal(new Set(receiver.hooks.map(({ headers }) => headers['webhook-id'])).size, 1)
  t.equal(new Set(receiver.hooks.map(({ headers }) => headers['webhook-timestamp'])).size, 3)
  t.ok(receiver.hooks.every((hook) => isSigned(hook, secret)))
  t.match((await look()).deliveries, [{ state: 'done', attempts: 3, status: 200 }])
})

t.test(
  'a webhook that fails for three days is turned off, and its owner gets a notice on the page',
  async (t) => {
    const receiver = await receiveHooks(t, (response) => response.writeHead(301, { location: '/b' }).end())
    const { set, look, share, visit, due, clock, call } = await begin(t)
    await set(receiver.url)
    visit(await share('/a.txt'))
    await due()
    for (const delay of retryDelays.webhook) {
      t.equal((await look()).enabled, true)
      clock.advance({ seconds: (delay * 1.1) / 1000 + 1 })
      await due()
    }
    t.equal(receiver.hooks.length, 10)
    t.match(await look(), {
      enabled: false,
      fault: 'failed',
      deliveries: [{ state: 'failed', attempts: 10 }],
    })
    const notices = (await call('GET', 'notices')).json()
    t.match(notices, { items: [{ kind: 'webhook', reason: 'failed', title: `127.0.0.1:${receiver.port}` }] })
    visit(await share('/inbox'))
    await due()
    t.equal((await look()).deliveries.length, 1, 'nothing more is stored for it')
    t.equal((await call('POST', 'webhook/test')).statusCode, 404)
    receiver.answer = (response) => response.writeHead(204).end()
    t.notOk((await set(receiver.url)).fault, 'it can be turned on again')
    await call('POST', `webhook/deliveries/${(await look()).deliveries[0]?.id}`)
    await due()
    t.match((await look()).deliveries, [{ state: 'done' }])
  },
)

t.test('a receiver that is gone turns its webhook off at once', async (t) => {
  const receiver = await receiveHooks(t, (response) => response.writeHead(410).end())
  const { set, look, call, due, share, visit } = await begin(t)
  await set(receiver.url)
  const shares = [await share('/a.txt'), await share('/inbox')]
  for (const hash of shares) visit(hash)
  await due()
  t.equal(receiver.hooks.length, 1)
  t.match(await look(), { enabled: false, fault: 'gone' })
  t.match(
    (await look()).deliveries.find(({ attempts }) => attempts === 1),
    { state: 'failed', status: 410 },
  )
  t.match((await call('GET', 'notices')).json(), { unread: 1, items: [{ kind: 'webhook', reason: 'gone' }] })
})

t.test('a busy receiver says when the next attempt may come', async (t) => {
  const receiver = await receiveHooks(t, (response) =>
    response.writeHead(429, { 'retry-after': '3600' }).end(),
  )
  const { set, call, due, clock } = await begin(t)
  await set(receiver.url)
  await call('POST', 'webhook/test')
  await due()
  clock.advance({ minutes: 59 })
  await due()
  t.equal(receiver.hooks.length, 1)
  clock.advance({ minutes: 8 })
  await due()
  t.equal(receiver.hooks.length, 2)
})

t.test('an address inside the network is refused unless an administrator allows it', async (t) => {
  const receiver = await receiveHooks(t)
  const { call, set, look, due, database } = await begin(t, { config: { webhookAllow: [] } }).then((all) => ({
    ...all,
    database: all.services.database,
  }))
  for (const url of [
    receiver.url,
    'http://169.254.169.254/',
    'http://[::1]/',
    'http://0x7f.1/',
    'http://a@b.example/',
  ]) {
    const reply = await call('PUT', 'webhook', { url, enabled: true })
    t.match([reply.statusCode, reply.body], [400, /url: (is not on|must not)/], url)
  }
  t.equal((await look()).url, '')
  await set(`http://localhost:${receiver.port}/`)
  await call('POST', 'webhook/test')
  await due()
  const [byName] = (await look()).deliveries
  t.match(byName, { state: 'waiting', reason: 'address', attempts: 1 }, 'a name is checked when it is used')
  t.notOk(byName && 'status' in byName)
  // An address that was allowed at an earlier start.
  await database.write([{ sql: 'UPDATE webhooks SET url = ?', values: [receiver.url] }])
  await call('POST', 'webhook/test')
  await due()
  t.equal(receiver.hooks.length, 0)
})

t.test('what waits survives a restart', async (t) => {
  const receiver = await receiveHooks(t, (response) => response.writeHead(503).end())
  const { set, call, due, close, base, clock } = await begin(t)
  const { secret = '' } = await set(receiver.url)
  await call('POST', 'webhook/test')
  await due()
  await close()
  receiver.answer = (response) => response.writeHead(204).end()
  const again = await begin(t, { base })
  again.clock.advance({ seconds: (clock.now() - again.clock.now()) / 1000 + 10 })
  await again.due()
  t.equal(receiver.hooks.length, 2)
  t.equal(receiver.hooks[1]?.headers['webhook-id'], receiver.hooks[0]?.headers['webhook-id'])
  t.ok(receiver.hooks[1] && isSigned(receiver.hooks[1], secret))
})

t.test('a server that stops during an attempt makes it again after its start', async (t) => {
  const receiver = await receiveHooks(t, () => {})
  const { set, call, close, base } = await begin(t)
  await set(receiver.url)
  await call('POST', 'webhook/test')
  await until(() => receiver.hooks.length === 1)
  await close()
  receiver.answer = (response) => response.writeHead(204).end()
  const again = await begin(t, { base })
  await again.due()
  t.equal(receiver.hooks.length, 2)
  t.match((await again.look()).deliveries, [{ state: 'done', attempts: 1 }])
})

t.test('a slow receiver delays only its own user', async (t) => {
  const [slow, quick] = [await receiveHooks(t, () => {}), await receiveHooks(t)]
  const { set, call, look } = await begin(t)
  await set(slow.url)
  await set(quick.url, true, 'bob')
  for (const _ of [1, 2, 3]) await call('POST', 'webhook/test')
  await until(() => slow.hooks.length === 1)
  await call('POST', 'webhook/test', undefined, 'bob')
  await until(() => quick.hooks.length === 1)
  t.equal(slow.mostActive, 1, 'one at a time for each user')
  t.equal(slow.hooks.length, 1)
  t.match((await look()).deliveries, [{ state: 'waiting' }, { state: 'waiting' }, { state: 'waiting' }])
})

t.test('tests are limited, and at most 200 deliveries of a user are kept', async (t) => {
  const receiver = await receiveHooks(t, (response) => response.writeHead(500).end())
  const { set, call, services, clock } = await begin(t)
  await set(receiver.url)
  const replies: number[] = []
  for (let n = 0; n < 8; n++) replies.push((await call('POST', 'webhook/test')).statusCode)
  t.ok(replies.includes(429) && replies[0] === 200, replies.join())
  await services.notices.deliveries.close()
  for (let n = 0; n < 210; n++) {
    const notice = {
      user: 2,
      time: clock.now() + n,
      kind: 'visit' as const,
      link: 'x',
      title: `${n}`,
      path: '/',
    }
    const rest = { count: 0, bytes: 0, names: [], sender: '', detail: '' }
    await services.notices.tell({ ...notice, ...rest }, ['webhook'])
  }
  const rows = await services.database.read<{ n: number; first: number }>(
    'SELECT count(*) AS n, min(time) AS first FROM deliveries WHERE user = 2',
  )
  t.strictSame(rows, [{ n: 200, first: clock.now() + 10 }])
})

t.test('the longest possible message has less than 20 kB', async (t) => {
  const receiver = await receiveHooks(t)
  const { set, services, due, clock } = await begin(t)
  await set(receiver.url)
  const { noticeOf } = await import('../notice.ts')
  const long = '\u{10ffff}"\\'.repeat(3000)
  const share = { hash: 'x'.repeat(22), userID: 2, path: long, conditions: { title: long } }
  const notice = noticeOf(share as unknown as Parameters<typeof noticeOf>[0], {
    ...{ kind: 'received', time: clock.now(), count: 9, bytes: 9, path: long, sender: long },
    names: Array(5).fill(long),
  })
  await services.notices.tell(notice, ['webhook'])
  await due()
  t.equal(receiver.hooks.length, 1)
  t.ok(Buffer.byteLength(receiver.hooks[0]?.body ?? '') < 20_000)
})
