import type { Page } from 'playwright-core'

/** Confirms the question whether items are deleted, whether or not there is a trash. */
export async function confirmDeletion(page: Page): Promise<void> {
  const confirm = /^(Move to trash|Delete|Delete permanently)$/
  await page.getByRole('dialog').getByRole('button', { name: confirm }).click()
}
