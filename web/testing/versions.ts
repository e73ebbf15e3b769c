import type { Page } from 'playwright-core'
import { itemNamed } from './browser.ts'

/** The panel Info beside a list, or the dialog of an open file. */
export const info = (page: Page) =>
  page.getByRole('dialog', { name: 'Info' }).or(page.locator('[data-part=details]'))

/** The lines of the open part of the properties, such as the versions. */
export const lines = (page: Page) => info(page).getByRole('listitem')

/** The dialog that compares two contents. */
export const compared = (page: Page) => page.getByRole('dialog', { name: /^Compare: / })

/** Opens the part `title` of the properties of an item with the keyboard. */
export async function openPart(page: Page, name: string, title: string): Promise<void> {
  await itemNamed(page, name).click()
  await page.keyboard.press('Control+i')
  await info(page).waitFor()
  await info(page).getByText(title, { exact: true }).press('Enter')
}

/** 60 numbered lines, of which one ends in `changed`. */
export const numbered = (changed: string): string =>
  Array.from({ length: 60 }, (_, n) => `line ${n}${n === 20 ? changed : ''}\n`).join('')
