import type { Locator, Page } from 'playwright-core'

/** A page in one language on which scenes are shown one after the other. */
export interface Stage {
  readonly page: Page
  /** The address of the server, without a closing slash. */
  readonly address: string
  /** The path of a shared folder. */
  readonly share: string
  /** A text of the page in its language. */
  say(english: string): string
}

/** One screen: an address, what must be visible there, and the steps that lead further. */
export interface Scene {
  readonly name: string
  readonly path: string
  /** A selector of what the steps, or the picture, wait for. */
  readonly ready: string
  readonly steps?: (stage: Stage) => Promise<unknown>
  /** The picture waits for this, after the steps. */
  readonly shows?: string
  /** The page has no session. */
  readonly isPublic?: boolean
}

const row = '[data-index]'
// Not a menu, which is a dialog, too.
const dialog = '[role=dialog]:has(h2)'
const file = '[data-part=file]'

const item = (page: Page, name: string): Locator =>
  page.locator('[data-index]').filter({ has: page.getByRole('link', { name, exact: true }) })

const select =
  (...names: string[]) =>
  async ({ page, say }: Stage) => {
    for (const [n, name] of names.entries()) {
      const mark = item(page, name).locator('[data-check]')
      await (n === 0 ? mark.click() : mark.click({ modifiers: ['ControlOrMeta'] }))
    }
    // The keys work from now on.
    await page
      .locator('[data-part=selection]')
      .getByRole('button', { name: say('More'), exact: true })
      .waitFor()
  }

const withKey = (key: string, select: (stage: Stage) => Promise<unknown>) => async (stage: Stage) => {
  await select(stage)
  await stage.page.keyboard.press(key)
}

/** Presses a button of the page by its English name. */
const press = async ({ page, say }: Stage, name: string) =>
  page
    .getByRole('button', { name: say(name), exact: true })
    .filter({ visible: true })
    .first()
    .click()

/** Chooses an action of the selection, which is in the menu More when the window is narrow. */
async function choose(stage: Stage, name: string): Promise<void> {
  const { page, say } = stage
  const direct = page
    .locator('[data-part=selection]')
    .getByRole('button', { name: say(name), exact: true })
    .filter({ visible: true })
  if ((await direct.count()) > 0) return direct.first().click()
  await press(stage, 'More')
  await page.getByRole('menuitem', { name: say(name), exact: true }).click()
}

const files: Scene[] = [
  { name: 'list', path: '/files/', ready: row },
  { name: 'list, selection', path: '/files/', ready: row, steps: select('notes.txt', 'Plan.md') },
  {
    name: 'list, menu of an item',
    path: '/files/',
    ready: row,
    steps: async ({ page }) => item(page, 'budget.xlsx').click({ button: 'right' }),
    shows: '[role=menu]',
  },
  {
    name: 'list, menu New',
    path: '/files/',
    ready: row,
    steps: async ({ page, say }) =>
      page
        .getByRole('button', { name: say('New'), exact: true })
        .filter({ visible: true })
        .first()
        .click(),
    shows: '[role=menu]',
  },
  {
    name: 'mosaic',
    path: '/files/Photos/',
    ready: row,
    steps: (stage) => press(stage, 'Show as mosaic'),
    shows: '[data-part=card] img',
  },
  { name: 'photos', path: '/files/Photos/', ready: row },
  { name: 'empty folder', path: '/files/Empty/', ready: '[data-part=files]' },
  { name: 'missing folder', path: '/files/Gone/', ready: '[role=alert], h1, h2' },
  {
    name: 'info',
    path: '/files/',
    ready: row,
    steps: withKey('ControlOrMeta+i', select('panorama.png')),
    shows: '[data-part=details] dl',
  },
  {
    name: 'quick look',
    path: '/files/',
    ready: row,
    steps: withKey('Space', select('panorama.png')),
    shows: '[data-part=quick-look]',
  },
  {
    name: 'palette',
    path: '/files/',
    ready: row,
    steps: async ({ page }) => {
      await page.keyboard.press('ControlOrMeta+k')
      await page.getByRole('combobox').fill('p')
    },
    shows: '[role=option]',
  },
  {
    name: 'search',
    path: '/files/',
    ready: row,
    steps: async ({ page }) => {
      await page.keyboard.press('ControlOrMeta+f')
      await page.locator(dialog).getByRole('combobox').fill('e')
    },
    shows: '[role=option]',
  },
  {
    name: 'rename in the row',
    path: '/files/',
    ready: row,
    steps: withKey('F2', select('notes.txt')),
    // In the row, or a dialog on touch screens.
    shows: ':is([data-index], [role=dialog]) input',
  },
  {
    name: 'rename several',
    path: '/files/',
    ready: row,
    steps: withKey('F2', select('notes.txt', 'Plan.md', 'main.ts')),
    shows: dialog,
  },
]

const dialogs: Scene[] = [
  {
    name: 'help',
    path: '/files/',
    ready: row,
    steps: ({ page }) => page.keyboard.press('F1'),
    shows: dialog,
  },
  {
    name: 'delete',
    path: '/files/',
    ready: row,
    steps: withKey('Shift+Delete', select('notes.txt')),
    shows: dialog,
  },
  ...[
    ['move', 'Move to…', 'notes.txt'],
    ['share', 'Share', 'Photos'],
    ['download', 'Download', 'Photos'],
  ].map(
    ([name = '', action = '', which = '']): Scene => ({
      name,
      path: '/files/',
      ready: row,
      steps: async (stage) => {
        await select(which)(stage)
        await choose(stage, action)
      },
      shows: dialog,
    }),
  ),
  {
    name: 'conflict',
    path: '/files/',
    ready: row,
    steps: async (stage) => {
      const { page, say } = stage
      const chooser = page.waitForEvent('filechooser')
      await press(stage, 'New')
      await page.getByRole('menuitem', { name: say('Upload files'), exact: true }).click()
      const again = { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('new') }
      await (await chooser).setFiles([again, { ...again, name: 'Plan.md' }])
    },
    shows: dialog,
  },
]

const opened: Scene[] = [
  { name: 'text', path: '/files/main.ts', ready: `${file} [role=textbox] span` },
  {
    name: 'text, search',
    path: '/files/notes.txt',
    ready: `${file} [role=textbox]`,
    steps: async ({ page }) => page.locator(`${file} [role=textbox]`).press('ControlOrMeta+f'),
    shows: '.cm-search',
  },
  {
    name: 'text, search beside the preview',
    path: '/files/Plan.md',
    ready: `${file} :is(table, [role=textbox])`,
    steps: async ({ page }) => page.locator(`${file} [role=textbox]`).press('ControlOrMeta+f'),
    shows: '.cm-search',
  },
  { name: 'Markdown', path: '/files/Plan.md', ready: `${file} :is(table, [role=textbox])` },
  { name: 'picture', path: '/files/Photos/IMG_2042.jpg', ready: '[data-part=picture] img' },
  { name: 'panorama', path: '/files/panorama.png', ready: '[data-part=picture] img' },
  { name: 'music', path: '/files/song.wav', ready: file },
  {
    name: 'player',
    path: '/files/song.wav',
    ready: file,
    steps: async ({ page }) => page.keyboard.press('Escape'),
    shows: '[data-part=music]',
  },
  { name: 'unknown file', path: '/files/program.bin', ready: `${file} h2` },
]

const places: Scene[] = [
  { name: 'recent', path: '/recent', ready: 'h1' },
  { name: 'starred', path: '/starred', ready: 'h1' },
  { name: 'trash', path: '/trash', ready: 'h1' },
  { name: 'shared by me', path: '/settings/shares', ready: 'h1' },
  { name: 'profile', path: '/settings/profile', ready: 'h2' },
  { name: 'global settings', path: '/settings/global', ready: 'h2' },
  {
    name: 'changed profile',
    path: '/settings/profile',
    ready: 'h2',
    steps: ({ page }) => page.locator('input[type=checkbox]').first().click(),
    shows: '[data-part=save-bar]:not([hidden])',
  },
  {
    name: 'advanced settings',
    path: '/settings/global',
    ready: 'h2',
    steps: ({ page }) => page.locator('summary:has(h2)').click(),
  },
  { name: 'users', path: '/settings/users', ready: 'table' },
  { name: 'new user', path: '/settings/users/new', ready: 'form' },
  { name: 'health check', path: '/settings/doctor', ready: 'h1, h2' },
  { name: 'audit log', path: '/settings/audit', ready: 'h1, h2' },
  { name: 'not permitted', path: '/403', ready: 'h1, h2' },
]

const visitors: Scene[] = [
  { name: 'sign-in', path: '/login', ready: 'input[type=password]', isPublic: true },
  {
    name: 'sign-in, refused',
    path: '/login',
    ready: 'input[type=password]',
    isPublic: true,
    steps: async ({ page }) => {
      await page.locator('input').first().fill('ann')
      await page.locator('input[type=password]').fill('wrong')
      await page.keyboard.press('Enter')
    },
    shows: '[role=alert]',
  },
  { name: 'shared folder', path: 'SHARE', ready: row, isPublic: true },
  { name: 'missing share', path: '/share/none', ready: 'h1, h2', isPublic: true },
]

/** All screens of the page, in the order in which a user meets them. */
export const scenes: readonly Scene[] = [...files, ...dialogs, ...opened, ...places, ...visitors]
