import type { Locator, Page } from 'playwright-core'

/** Pages whose address differs in each run. `site` is undefined without Hugo. */
export interface Links {
  /** A shared folder, a share with a password, and a shared picture. */
  readonly share: string
  readonly locked: string
  readonly picture: string
  /** A server without an administrator. */
  readonly setup: string
  /** A server with a website. */
  readonly site: string | undefined
}

/** A page in one language on which scenes are shown one after the other. */
export interface Stage {
  readonly page: Page
  /** The address of the server, without a closing slash. */
  readonly address: string
  /** The addresses of pages that differ in each run. */
  readonly links: Links
  /** A text of the page in its language. */
  say(english: string): string
}

/** One screen: an address, what must be visible there, and the steps that lead further. */
export interface Scene {
  readonly name: string
  /** A path of the server, or one of the `Links` with what follows it. */
  readonly path: string | readonly [keyof Links, string]
  /** A selector of what the steps, or the picture, wait for. */
  readonly ready: string
  readonly steps?: (stage: Stage) => Promise<unknown>
  /** The picture waits for this, after the steps. */
  readonly shows?: string
  /** The page has no session. */
  readonly isPublic?: boolean
  /** Only in windows narrower than this. */
  readonly below?: number
  /** Undoes the steps, after the picture. */
  readonly undo?: (stage: Stage) => Promise<unknown>
}

/** An item of a list. */
export const row = '[data-index]'
/** A dialog that is no menu. */
export const dialog = '[role=dialog]:has(h2)'
/** The page of an open file. */
export const file = '[data-part=file]'

/** The item `name` of a list. */
export const item = (page: Page, name: string): Locator =>
  page.locator('[data-index]').filter({ has: page.getByRole('link', { name, exact: true }) })

/** Scrolls the list until it has the row of `name`: only the visible rows exist. */
async function scrollTo(page: Page, name: string): Promise<void> {
  const list = page.locator('[role=grid]')
  for (let n = 0; n < 50 && (await item(page, name).count()) === 0; n++) {
    await list.evaluate((grid: { scrollTop: number; clientHeight: number }, n) => {
      grid.scrollTop = (n * grid.clientHeight) / 2
    }, n)
    // Two frames: one for the event, one for the rows.
    await page.evaluate(
      'new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))',
    )
  }
}

/** Selects items of the list. */
export const select =
  (...names: string[]) =>
  async ({ page, say }: Stage) => {
    for (const [n, name] of names.entries()) {
      await scrollTo(page, name)
      const mark = item(page, name).locator('[data-check]')
      await (n === 0 ? mark.click() : mark.click({ modifiers: ['ControlOrMeta'] }))
    }
    // The keys work from now on.
    await page
      .locator('[data-part=selection]')
      .getByRole('button', { name: say('More'), exact: true })
      .waitFor()
  }

/** Selects items, then presses a key. */
export const withKey = (key: string, select: (stage: Stage) => Promise<unknown>) => async (stage: Stage) => {
  await select(stage)
  await stage.page.keyboard.press(key)
}

/** Presses a button of the page by its English name. */
export const press = async ({ page, say }: Stage, name: string) =>
  page
    .getByRole('button', { name: say(name), exact: true })
    .filter({ visible: true })
    .first()
    .click()

/** Chooses an action of the selection, which is in the menu More when the window is narrow. */
export async function choose(stage: Stage, name: string): Promise<void> {
  const { page, say } = stage
  const direct = page
    .locator('[data-part=selection]')
    .getByRole('button', { name: say(name), exact: true })
    .filter({ visible: true })
  if ((await direct.count()) > 0) return direct.first().click()
  await press(stage, 'More')
  await page.getByRole('menuitem', { name: say(name), exact: true }).click()
}
