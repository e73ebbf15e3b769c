import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import t, { type Test } from 'tap'
import { closeBrowser, openPage, serve, testUser, violations } from '#web/testing/browser.ts'

t.teardown(closeBrowser)

// Behaves like the real script: creates the object first, adds its functions later, and draws the box into the page.
const script = `
globalThis.grecaptcha = {}
setTimeout(() => {
  const boxes = []
  globalThis.grecaptcha.render = (place, { sitekey, theme, size }) => {
    const label = document.createElement('label')
    const box = document.createElement('input')
    box.type = 'checkbox'
    label.append(box, 'I am a person')
    Object.assign(label.dataset, { sitekey, theme, size })
    place.append(label)
    return boxes.push({ box, tries: 0 }) - 1
  }
  globalThis.grecaptcha.getResponse = (at) => boxes[at].box.checked ? 'person ' + boxes[at].tries : ''
  globalThis.grecaptcha.reset = (at) => { boxes[at].box.checked = false; boxes[at].tries++ }
}, 250)
`

/** Starts a captcha service that implements siteverify, and a server that uses it. */
async function guarded(t: Test, flags: readonly string[] = []) {
  const used = new Set<string>()
  const service = createServer(async (request, reply) => {
    if (request.url?.startsWith('/recaptcha/api.js')) {
      reply.end(script)
      return
    }
    const form = new URLSearchParams(await text(request))
    const response = form.get('response') ?? ''
    const isGood = form.get('secret') === 'hush' && response.startsWith('person') && !used.has(response)
    used.add(response)
    reply.end(JSON.stringify({ success: isGood }))
  })
  service.listen(0, '127.0.0.1')
  await once(service, 'listening')
  t.teardown(() => {
    service.closeAllConnections()
    service.close()
  })
  const host = `http://127.0.0.1:${(service.address() as AddressInfo).port}`
  const named = ['--recaptcha-host', host, '--recaptcha-key', 'site', '--recaptcha-secret', 'hush']
  return { service, address: await serve(t, t.testdir({ 'notes.txt': 'x' }), [...named, ...flags]) }
}

t.test('sign-in needs a solved captcha', async (t) => {
  const { address } = await guarded(t)
  const page = await openPage(t, { colorScheme: 'dark' })
  const policyErrors: string[] = []
  page.on('console', (message) => {
    if (message.text().includes('Content Security Policy')) policyErrors.push(message.text())
  })
  await page.goto(address)
  await page.getByLabel('Username').fill(testUser.name)
  await page.getByLabel('Password').fill('a wrong one')
  await page.keyboard.press('Enter')
  const alert = page.getByRole('alert')
  await alert.getByText('Wrong username or password').waitFor()
  const box = page.getByLabel('I am a person')
  await box.check()
  const drawn = page.locator('[data-part=human-check] label')
  t.match(await drawn.evaluate(({ dataset }) => ({ ...dataset })), { sitekey: 'site', theme: 'dark' })
  t.same(await violations(page), [])
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('button', { name: 'Sign in', disabled: false }).waitFor()
  await alert.getByText('Wrong username or password').waitFor()
  t.equal(await box.isChecked(), false, 'each attempt needs a new captcha response')
  await page.getByLabel('Password').fill(testUser.password)
  await box.check()
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('link', { name: 'notes.txt' }).waitFor()
  t.same(policyErrors, [], 'the content security policy allows the service')
})

t.test('shows an error when the captcha cannot be loaded', async (t) => {
  const { address, service } = await guarded(t)
  service.closeAllConnections()
  await new Promise((resolve) => service.close(resolve))
  const page = await openPage(t)
  await page.goto(address)
  await page.getByText("Couldn't check that you're human.").waitFor()
})
