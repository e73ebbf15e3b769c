import type { Page } from 'playwright-core'

/** Opens the fields under every title *Advanced* of a page. */
export async function openAdvanced(page: Page): Promise<void> {
  const titles = page.locator('summary', { hasText: /^Advanced$/ })
  await titles.last().waitFor()
  for (const title of await titles.all()) await title.click()
}

/** The button of the bar that saves all settings of a page, in any language. */
export const saveButton = (page: Page) => page.locator('[data-part=save-bar] button[type=submit]')
