import { symlinkSync } from 'node:fs'
import path from 'node:path'
import type { Page } from 'playwright-core'
import t from 'tap'
import { closeBrowser, signIn, signInAs, start, violations } from '#web/testing/browser.ts'
import { noticed } from '#web/testing/notices.ts'
import { startNginx } from '#web/testing/proxy.ts'
import { clientOf, clockOf, type Measurement, schemeOf } from './measurements.ts'
import { proxyLines } from './proxy-lines.ts'

t.teardown(closeBrowser)

const more = ['--trusted-proxy', '127.0.0.1', '--enable-exec']

/** The text of the card `title` when its checks are complete. */
async function results(page: Page, title: string): Promise<string> {
  const card = page.getByRole('region', { name: title })
  await card
    .getByText(/in order|Error|Warning/)
    .first()
    .waitFor()
  return card.innerText()
}

t.test('the health check finds what is wrong with a proxy, and nothing after it is corrected', async (t) => {
  const { page, address: server } = await start(t, {}, { more })
  const [wrong, right] = [
    await startNginx(t, server),
    await startNginx(
      t,
      server,
      proxyLines.body[0]?.text,
      ['buffering', 'socket', 'address'].map((name) => proxyLines[name as 'socket'][0]?.text).join('\n'),
    ),
  ]
  if (!wrong || !right) {
    t.pass('nginx', { skip: 'it is not installed' })
    return
  }
  await signIn(page, wrong, '/settings/doctor')
  const before = await results(page, 'Connection from this browser')
  t.match(before, 'The proxy refuses requests of 2 MB')
  t.match(before, 'holds responses back until they are complete')
  t.match(before, "WebSockets don't work")
  t.match(before, "a proxy that doesn't send the address of your device")
  for (const name of ['body', 'buffering', 'socket', 'address'] as const)
    for (const line of proxyLines[name][0]?.text.split('\n') ?? []) t.match(before, line)
  t.notMatch(before, 'flush_interval', 'only the lines of nginx')
  await page.getByLabel('Reverse proxy').selectOption('Caddy')
  t.match(await results(page, 'Connection from this browser'), 'flush_interval -1')
  t.same(await violations(page), [])
  await signIn(page, right, '/settings/doctor')
  const after = await results(page, 'Connection from this browser')
  t.match(after, /^Connection from this browser\s+7 checks are in order/)
  t.match(after, 'Coffer knows the address of your device: 127.0.0.1')
})

t.test('responses that are held back are a finding only if it happens twice', async (t) => {
  const { page, address } = await start(t, {}, { path: '/settings/profile' })
  let held = 1
  await page.route('**/api/doctor/stream', async (route) =>
    held-- > 0 ? route.fulfill({ response: await route.fetch() }) : route.continue(),
  )
  await page.goto(`${address}/settings/doctor`)
  const before = await results(page, 'Connection from this browser')
  t.match(before, 'Responses arrive without delay.')
  t.equal(held, -1, 'measured twice')
  held = 2
  await page.getByRole('button', { name: 'Check again' }).click()
  await page.getByText('Something between this browser and the server').waitFor()
})

t.test('the health check shows findings of the server, for administrators only', async (t) => {
  const { page, root } = await start(t, { docs: {} }, { path: '/settings/profile', more: ['--log', ''] })
  symlinkSync('/etc', path.join(root, 'docs', 'link'))
  await page.getByRole('link', { name: 'Health check' }).click()
  t.match(await results(page, 'Server'), '/docs/link. Users: ann.')
  await page.getByText(/^(No problems found\.|\d+ errors? · \d+ warnings?)$/).waitFor()
  await page.context().grantPermissions(['clipboard-write', 'clipboard-read'])
  await page.getByRole('region', { name: 'Server' }).getByRole('button', { name: 'Copy' }).first().click()
  await noticed(page, 'Copied!')
  t.ok(await page.evaluate(() => navigator.clipboard.readText()))
  await page.route('**/api/doctor', (route) => route.fulfill({ status: 500, body: 'broken' }))
  await page.getByRole('button', { name: 'Check again' }).click()
  await page.getByRole('alert').getByText('Something really went wrong.').waitFor()
  const his = await signInAs(t, page, { perm: { admin: false } }, '/settings/doctor')
  await his.waitForURL('**/403')
})

t.test('a measurement depends on what the server and the browser know', async (t) => {
  const view = {
    ...{ address: '203.0.113.7', peer: '10.0.0.9', isTrusted: true, port: 8080, time: 1_000_000 },
    ...{
      forwarded: { address: true, scheme: true, host: false },
      scheme: 'https',
      host: 'files.example.com',
    },
  }
  const origin = { host: 'files.example.com', port: '', protocol: 'https:' }
  const arrival = { view, time: 1_000_000, origin, isSecure: true }
  const ids = (found: Measurement[]) => found.map(({ id, level }) => `${level} ${id}`)
  const none = { address: false, scheme: false, host: false }
  const cases: [Measurement[], string[]][] = [
    [clientOf(arrival), ['ok address']],
    [clientOf({ ...arrival, view: { ...view, isTrusted: false } }), ['warning address.untrusted']],
    [clientOf({ ...arrival, view: { ...view, forwarded: none } }), ['warning address.missing']],
    [clientOf({ ...arrival, view: { ...view, forwarded: none, port: 443 } }), ['ok address']],
    [
      clientOf({ ...arrival, view: { ...view, forwarded: none, peer: '', port: 0 } }),
      ['warning address.missing'],
    ],
    [schemeOf({ ...arrival, isSecure: false }), ['error https']],
    [schemeOf({ ...arrival, view: { ...view, scheme: 'http' } }), ['advice scheme']],
    [schemeOf(arrival), ['ok https']],
    [clockOf({ ...arrival, time: 1_000_000 - 119_000 }), ['ok clock']],
    [clockOf({ ...arrival, time: 1_000_000 + 121_000 }), ['warning clock']],
  ]
  for (const [found, expected] of cases) t.strictSame(ids(found), expected)
  t.match(clientOf({ ...arrival, view: { ...view, isTrusted: false, peer: '::ffff:10.0.0.9' } })[0]?.lines, [
    { where: 'coffer', text: '--trusted-proxy 10.0.0.9' },
  ])
})
