import t from 'tap'
import { closeBrowser, openPage, signIn, start, violations } from '#web/testing/browser.ts'
import { chooseAccount } from '#web/testing/places.ts'
import { saveButton } from '#web/testing/settings.ts'

t.teardown(closeBrowser)

const lightDesk = 'rgb(246, 246, 244)'
const darkDesk = 'rgb(17, 19, 20)'

t.test('each user can select Light, Dark or Match device in the profile', async (t) => {
  const { page, address } = await start(t, {}, { path: '/settings/profile' })
  await page.emulateMedia({ colorScheme: 'dark' })
  const card = page.getByRole('region', { name: 'Theme' })
  const desk = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor)
  const windowColor = () =>
    page.evaluate(() => document.querySelector<HTMLMetaElement>('meta[name=theme-color]')?.content)
  const choose = async (theme: string) => {
    await card.locator('select').selectOption(theme)
    const saved = page.waitForResponse((reply) => reply.url().endsWith('/api/renew'))
    await saveButton(page).click()
    await saved
  }
  t.equal(await desk(), lightDesk, 'an empty theme is light, also on a dark device')
  await card.locator('option').first().waitFor({ state: 'attached' })
  t.strictSame(await card.locator('option').allTextContents(), [
    'Server default',
    'Light',
    'Dark',
    'Match device',
  ])
  await choose('Dark')
  await page.waitForFunction(() => document.documentElement.dataset.theme === 'dark')
  t.strictSame([await desk(), await windowColor()], [darkDesk, darkDesk], 'takes effect at once')
  t.strictSame(await violations(page), [])
  await page.reload()
  await card.waitFor()
  t.equal(await desk(), darkDesk)
  t.equal(await card.locator('select').inputValue(), 'dark')
  await choose('Match device')
  await page.waitForFunction(() => document.documentElement.dataset.theme === '')
  t.equal(await desk(), darkDesk, 'the same as the device')
  await page.emulateMedia({ colorScheme: 'light' })
  t.equal(await desk(), lightDesk)

  const elsewhere = await openPage(t)
  await elsewhere.goto(address)
  await elsewhere.getByLabel('Username').waitFor()
  t.equal(
    await elsewhere.getAttribute('html', 'data-theme'),
    'light',
    'others have the theme of the instance',
  )
  await signIn(elsewhere, address)
  await elsewhere.waitForFunction(() => document.documentElement.dataset.theme === '')
  await chooseAccount(elsewhere, 'Sign out')
  await elsewhere.getByLabel('Username').waitFor()
  t.equal(
    await elsewhere.getAttribute('html', 'data-theme'),
    'light',
    'signing out restores the theme of the instance',
  )
  await choose('Server default')
  await page.waitForFunction(() => document.documentElement.dataset.theme === 'light')
})
