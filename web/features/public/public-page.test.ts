import t from 'tap'
import {
  closeBrowser,
  downloadedBytes,
  itemNamed,
  violations,
  violationsInBothThemes,
} from '#web/testing/browser.ts'
import { delayResponses } from '#web/testing/responses.ts'
import { saved, savedChoice, showsCode, startVisits, textOf } from '#web/testing/visitor.ts'

t.teardown(closeBrowser)

const visitor = startVisits(t)

t.test('a visitor opens a share of a file, views and downloads the file', async (t) => {
  const { page, address, hash } = await visitor(t, '/a b#?.txt')
  await page.getByRole('heading', { name: 'a b#?.txt' }).waitFor()
  await page.getByText('12 bytes').waitFor()
  await textOf(page, 'a b#?.txt').getByText('shared words').waitFor()
  t.equal(await page.getByText('Press Esc').count(), 0, 'the text is read-only, so Tab leaves it')
  t.equal(await textOf(page, 'a b#?.txt').getAttribute('aria-description'), null)
  await textOf(page, 'a b#?.txt').press('Tab')
  t.notOk(await textOf(page, 'a b#?.txt').evaluate((one) => one.matches(':focus')))
  const code = page.getByRole('img', { name: 'QR code for the download' })
  t.same(await code.boundingBox().then((box) => [box?.width, box?.height]), [200, 200])
  t.equal(
    await page.getByRole('link', { name: 'Download file' }).getAttribute('href'),
    `/api/public/dl/${hash}/a%20b%23%3F.txt`,
  )
  const { bytes } = await saved(page, 'Download file')
  t.equal(bytes.toString(), 'shared words')
  t.equal(await page.getByRole('link', { name: 'My files' }).count(), 0, 'no links to other pages')
  await page.getByRole('link', { name: 'Sign in' }).click()
  await page.getByLabel('Username').waitFor()
  t.equal(page.url(), `${address}/login?redirect=${encodeURIComponent(`/share/${hash}`)}`)
})

t.test('a password does not count as wrong before the server has answered', async (t) => {
  const password = 'open sesame, please'
  const { page } = await visitor(t, '/docs/', { password })
  await page.getByLabel('Password').waitFor()
  const answers = await delayResponses(page, '**/api/public/share/**')
  await page.getByLabel('Password').fill(password)
  await page.keyboard.press('Enter')
  await answers.waitForCalls()
  t.equal(await page.getByText('Wrong password').count(), 0)
  answers.release()
  await page.getByRole('button', { name: 'Show as tiles' }).waitFor()
})

t.test('a shared folder can be downloaded in nine archive formats, whole or in part', async (t) => {
  const { page } = await visitor(t, '/docs/')
  const formats = page.getByLabel('Format').locator('option')
  const extensions = '.zip .tar .tar.gz .tar.bz2 .tar.xz .tar.lz4 .tar.sz .tar.zst .tar.br'.split(' ')
  await page.getByRole('heading', { name: 'docs' }).waitFor()
  t.strictSame(await formats.allTextContents(), extensions)
  for (const extension of ['.tar.zst', '.tar.br']) {
    await page.getByLabel('Format').selectOption({ label: extension })
    t.equal((await saved(page, 'Download folder')).name, `docs${extension}`)
  }
  await itemNamed(page, 'deep').locator('[data-check]').click()
  await itemNamed(page, 'x.png').locator('[data-check]').click()
  for (const extension of ['.zip', '.tar.sz'])
    t.equal((await savedChoice(page, extension)).name, `docs${extension}`)
})

t.test('F1 opens the help in a share of a file and in a broken share', async (t) => {
  const { page, address } = await visitor(t, '/a b#?.txt')
  await page.getByRole('link', { name: 'Download file' }).waitFor()
  for (const at of [undefined, `${address}/share/nothing`]) {
    if (at) await page.goto(at)
    if (at) await page.getByRole('alert').getByText("This link doesn't exist or has expired.").waitFor()
    await page.keyboard.press('F1')
    await page.getByRole('dialog').waitFor()
    await page.keyboard.press('Delete')
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.keyboard.press('Delete')
    t.equal(await page.getByText("You don't have permission for this").count(), 0, 'a visitor has no account')
  }
})

t.test('a share with a password opens with that password', async (t) => {
  const { page } = await visitor(t, '/docs/', { password: 'öpen sesame, please' })
  await page.getByLabel('Password').fill('guess')
  await page.keyboard.press('Enter')
  const wrong = page.getByText('Wrong password')
  await wrong.waitFor()
  const [red, grey] = await wrong.evaluate((one) => {
    const shown = getComputedStyle(one)
    const other = document.createElement('i')
    one.append(other)
    other.style.color = 'var(--danger)'
    return [
      shown.color === getComputedStyle(other).color,
      shown.color === getComputedStyle(document.body).color,
    ]
  })
  t.same([red, grey], [true, false], 'the refusal has the colour of errors')
  await page.getByLabel('Password').fill('öpen sesame, please')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Show as tiles' }).click()
  await page.locator('[data-part=face] img').waitFor()
  await page.getByRole('link', { name: 'y z.txt' }).click()
  await textOf(page, 'y z.txt').getByText('inside').waitFor()
  const pending = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download' }).click()
  t.equal((await downloadedBytes(await pending)).toString(), 'inside')
})

t.test('the mosaic of a share stays as it is when its pictures arrive', async (t) => {
  const { page } = await visitor(t, '/gallery/')
  const pictures = await delayResponses(page, '**/api/public/preview/tile/**')
  await page.getByRole('button', { name: 'Show as tiles' }).click()
  await pictures.waitForCalls(2)
  const places = () =>
    page.locator('[data-part=face]').evaluateAll((faces) =>
      faces.map((face) => {
        const { top, left, width, height } = face.getBoundingClientRect()
        return [top, left, width, height]
      }),
    )
  const before = await places()
  pictures.release()
  await page.waitForFunction(() => {
    const all = [...document.querySelectorAll<HTMLImageElement>('[data-part=card] img')]
    return all.length === 2 && all.every(({ complete, naturalWidth }) => complete && naturalWidth > 0)
  })
  t.same(await places(), before)
})

t.test('the QR code of a share with a password opens the page that is shown', async (t) => {
  const { page, address, hash } = await visitor(t, '/docs/', { password: 'öpen sesame, please' })
  await page.getByLabel('Password').fill('öpen sesame, please')
  await page.keyboard.press('Enter')
  await page.getByRole('link', { name: 'y z.txt' }).waitFor()
  t.ok(await showsCode(page, `${address}/share/${hash}`))
  await page.getByRole('link', { name: 'deep' }).click()
  await page.getByRole('link', { name: 'end.bin' }).waitFor()
  t.ok(await showsCode(page, `${address}/share/${hash}/deep/`))
})

t.test('a share asks for the password again after an hour', async (t) => {
  const { page } = await visitor(t, '/docs/', { password: 'öpen sesame, please' })
  await page.clock.install()
  await page.reload()
  await page.getByLabel('Password').fill('öpen sesame, please')
  await page.keyboard.press('Enter')
  const download = page.getByRole('link', { name: 'Download folder' })
  await download.waitFor()
  await page.clock.fastForward('00:40:00')
  await page.getByRole('link', { name: 'deep' }).click()
  await page.getByRole('link', { name: 'end.bin' }).waitFor()
  await page.clock.fastForward('00:20:00')
  await download.click()
  await page.getByRole('heading', { name: 'This link needs a password.' }).waitFor()
})

t.test('error pages of a share offer a link to continue', async (t) => {
  const { page, address, hash } = await visitor(t, '/docs/')
  await page.getByRole('heading', { name: 'docs' }).waitFor()
  await page.goto(`${address}/share/${hash}/deep/gone.txt`)
  await page.getByRole('alert').getByText("This location can't be reached.").waitFor()
  await page.getByRole('link', { name: 'Back to the folder' }).click()
  await page.getByRole('link', { name: 'end.bin' }).waitFor()
  await page.route('**/api/public/share/**', (route) => route.abort())
  await page.locator('[data-part=breadcrumbs] a').first().click()
  await page.getByRole('alert').getByText("Can't reach the server.").waitFor()
  await page.unroute('**/api/public/share/**')
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('link', { name: 'y z.txt' }).waitFor()
  await page.route('**/api/public/share/**', (route) =>
    route.fulfill({ status: 403, json: { code: 'path.forbidden' } }),
  )
  await page.reload()
  await page.getByRole('alert').getByText("This link doesn't exist or has expired.").waitFor()
})

t.test('a share offers sign-in and sign-up to visitors only if they are enabled', async (t) => {
  const { page, address, hash, token } = await visitor(t, '/docs/', { isOwn: true })
  const change = (body: object) =>
    fetch(`${address}/api/settings`, {
      method: 'PUT',
      body: JSON.stringify(body),
      headers: { 'Content-Type': 'application/json', 'X-Auth': token },
    })
  await page.getByRole('link', { name: 'Sign in' }).waitFor()
  t.equal(await page.getByRole('link', { name: 'Sign up' }).count(), 0)
  await change({ signup: true, hideLoginButton: true })
  await page.reload()
  await page.getByRole('link', { name: 'Sign up' }).click()
  await page.getByLabel('Confirm password').waitFor()
  await page.goBack()
  await page.getByRole('heading', { name: 'docs' }).waitFor()
  t.equal(await page.getByRole('link', { name: 'Sign in' }).count(), 0)
  await page.evaluate((token) => localStorage.setItem('jwt', token), token)
  await page.goto(`${address}/share/${hash}`)
  await page.getByRole('link', { name: 'My files' }).click()
  await page.getByRole('grid', { name: 'Files' }).waitFor()
})

t.test('a shared folder, also an empty one, fits 390 pixels, light and dark', async (t) => {
  const { page } = await visitor(t, '/docs/', { width: 390 })
  await page.getByRole('link', { name: 'x.png' }).waitFor()
  t.same(await violationsInBothThemes(page), [])
  t.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390, 'no horizontal overflow')
  const empty = await visitor(t, '/empty/', { width: 390 })
  await empty.page.getByRole('heading', { name: 'This folder is empty' }).waitFor()
  t.equal(await empty.page.getByRole('button', { name: 'New', exact: true }).count(), 0)
  t.same(await violationsInBothThemes(empty.page), [])
})

t.test('a share that cannot be shown says what the visitor can do about it', async (t) => {
  const { page } = await visitor(t, '/docs/')
  await page.getByRole('heading', { name: 'docs' }).waitFor()
  t.equal(await page.title(), 'docs – Coffer')
  let answer: { status: number; code: string } = { status: 404, code: 'share.unknown' }
  await page.route('**/api/public/share/**', (route) =>
    route.fulfill({ status: answer.status, json: { code: answer.code } }),
  )
  const alert = page.getByRole('alert')
  const retry = page.getByRole('button', { name: 'Try again' })
  const advice = page.getByText('Ask the person who sent it for a new link.')

  await t.test(
    'a share that has ended, for whatever reason, sends the visitor to the person who sent it',
    async (t) => {
      for (const code of ['share.unknown', 'auth.forbidden', 'path.forbidden', 'path.denied']) {
        answer = { status: 403, code }
        await page.reload()
        await alert.getByText("This link doesn't exist or has expired.").waitFor()
        await advice.waitFor()
        t.equal(await retry.count(), 0, code)
        t.equal(await page.title(), 'Coffer', 'the name of the share is not in the title')
      }
    },
  )

  await t.test('a share on a server that is busy can be opened again with a button', async (t) => {
    const busy = {
      'request.limited': 'Too many requests.',
      'disk.silent': 'The server is busy.',
      'server.busy': 'The server is busy.',
      'server.stopping': 'The server is shutting down.',
      'server.failed': 'Something really went wrong.',
    }
    for (const [code, text] of Object.entries(busy)) {
      answer = { status: 503, code }
      await page.reload()
      await alert.getByText(text).waitFor()
      await retry.waitFor()
      t.equal(await advice.count(), 0, code)
    }
    t.same(await violations(page), [])
    answer = { status: 503, code: 'disk.failed' }
    await retry.click()
    await alert.getByText("The server's disk reported an error.").waitFor()
    t.equal(await retry.count(), 0, 'another attempt would not help')
  })

  await t.test('a visitor who has guessed too many passwords is asked to wait', async (t) => {
    answer = { status: 401, code: 'share.password' }
    await page.reload()
    const field = page.getByLabel('Password')
    await field.and(page.locator(':focus')).waitFor()
    t.equal(await page.getByText('Wrong password').count(), 0, 'before the first attempt')
    await page.getByRole('button', { name: 'Open' }).click()
    t.ok(await field.evaluate((one: HTMLInputElement) => one.validity.valueMissing), 'a password is required')
    answer = { status: 429, code: 'auth.limited' }
    await field.fill('guess')
    await page.keyboard.press('Enter')
    await page.getByText('Too many attempts. Wait a moment, then try again.').waitFor()
    t.equal(await field.inputValue(), '', 'the wrong password is not kept in the field')
    t.same(await violations(page), [])
    await page.unroute('**/api/public/share/**')
    await field.fill('another guess')
    t.equal(await page.getByText('Too many attempts.').count(), 0, 'the message goes when the visitor types')
    await page.keyboard.press('Enter')
    await itemNamed(page, 'y z.txt').waitFor()
  })
})
