import type { Locator, Page } from 'playwright-core'
import { testUser } from './serve.ts'

type Say = (english: string) => string
const inEnglish: Say = (english) => english

type NewItem = 'New folder' | 'New file' | 'Upload files' | 'Upload a folder'
type AccountItem = 'Settings' | 'Profile settings' | 'Global settings' | 'Help' | 'Sign out'

/** The open drawer of a narrow window, else the page. */
async function reachable(page: Page): Promise<Locator> {
  const drawer = page.locator('dialog[open]')
  return (await drawer.count()) > 0 ? drawer : page.locator('body')
}

/** The button New: the one in the open drawer, in the sidebar, or the round one of narrow windows. */
export async function newButton(page: Page, say = inEnglish): Promise<Locator> {
  const within = await reachable(page)
  // The list of users has a button of this name, too, which opens no menu.
  const opensMenu = page.locator('[aria-haspopup=menu]')
  return within
    .getByRole('button', { name: say('New'), exact: true })
    .and(opensMenu)
    .filter({ visible: true })
}

/** Chooses an item of the menu New. */
export async function chooseNew(page: Page, item: NewItem, say = inEnglish): Promise<void> {
  await (await newButton(page, say)).click()
  await page.getByRole('menuitem', { name: say(item), exact: true }).click()
}

/** The button of the account of `user`. In narrow windows the drawer must be open. */
export async function accountButton(page: Page, say = inEnglish, user = testUser.name): Promise<Locator> {
  const within = await reachable(page)
  const name = say('Account: {username}').replace('{username}', user)
  return within.getByRole('button', { name, exact: true }).filter({ visible: true })
}

/** Chooses an item of the menu of the account. In narrow windows the drawer must be open. */
export async function chooseAccount(
  page: Page,
  item: AccountItem,
  say = inEnglish,
  user = testUser.name,
): Promise<void> {
  await (await accountButton(page, say, user)).click()
  await page.getByRole('menuitem', { name: say(item), exact: true }).click()
}
