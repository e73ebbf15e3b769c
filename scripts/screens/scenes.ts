import { opened } from './opened.ts'
import { places } from './settings.ts'
import { choose, dialog, item, press, row, type Scene, select, withKey } from './stage.ts'
import { visitors } from './visitors.ts'
import { website } from './website.ts'

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
    name: 'menu',
    path: '/files/',
    ready: row,
    below: 737,
    steps: (stage) => press(stage, 'Menu'),
    shows: 'dialog[open]',
  },
  {
    name: 'account',
    path: '/files/',
    ready: row,
    steps: async (stage) => {
      const { page, say } = stage
      const { width = 0 } = page.viewportSize() ?? {}
      if (width < 737) await press(stage, 'Menu')
      await press(
        { ...stage, say: (name) => say(name).replace('{username}', 'bench') },
        'Account: {username}',
      )
    },
    shows: '[role=menu]',
  },
  {
    name: 'columns and view',
    path: '/files/',
    ready: row,
    steps: (stage) => press(stage, 'More'),
    shows: '[role=menu]',
  },
  {
    name: 'mosaic',
    path: '/files/Photos/',
    ready: row,
    steps: (stage) => press(stage, 'Show as tiles'),
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
    name: 'new folder, refused',
    path: '/files/',
    ready: row,
    steps: async (stage) => {
      await press(stage, 'New')
      await stage.page.getByRole('menuitem', { name: stage.say('New folder'), exact: true }).click()
      await stage.page.locator(`${dialog} input`).fill('a/b')
    },
    shows: dialog,
  },
  {
    name: 'QR code',
    path: '/files/',
    ready: row,
    steps: async (stage) => {
      await select('Photos')(stage)
      await choose(stage, 'Share')
      await stage.page
        .locator(dialog)
        .getByRole('button', { name: stage.say('QR code') })
        .first()
        .click()
    },
    shows: `${dialog} :is(svg[role=img], img, canvas)`,
  },
  {
    name: 'notice',
    path: '/files/',
    ready: row,
    steps: withKey('Delete', select('program.bin')),
    shows: '[data-part=notices] button',
    undo: async (stage) => {
      await stage.page.keyboard.press('ControlOrMeta+z')
      await stage.page.getByText('program.bin').first().waitFor()
    },
  },
  {
    name: 'upload',
    path: '/files/Empty/',
    ready: '[data-part=files]',
    steps: async (stage) => {
      const { page, say } = stage
      // The server never gets it, so the screen stays and the folder stays empty.
      await page.route(/slow\.txt/, () => {})
      const chooser = page.waitForEvent('filechooser')
      await press(stage, 'New')
      await page.getByRole('menuitem', { name: say('Upload files'), exact: true }).click()
      await (await chooser).setFiles([{ name: 'slow.txt', mimeType: 'text/plain', buffer: Buffer.from('x') }])
    },
    shows: '[data-part=uploads]',
    undo: async ({ page }) => {
      await page.goto('about:blank')
      await page.unrouteAll({ behavior: 'ignoreErrors' })
    },
  },
  {
    name: 'shell',
    path: '/files/',
    ready: row,
    below: 2000,
    steps: async (stage) => {
      await press(stage, 'More')
      await stage.page.getByRole('menuitem', { name: stage.say('Shell') }).click()
    },
    shows: '[data-part=shell]',
  },
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

/** All screens of the page, in the order in which a user meets them. */
export const scenes: readonly Scene[] = [...files, ...dialogs, ...opened, ...places, ...visitors, ...website]
