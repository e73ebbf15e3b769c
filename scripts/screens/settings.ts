import { dialog, press, type Scene } from './stage.ts'

/** The places besides the folders, the manual, and the settings. */
export const places: Scene[] = [
  { name: 'recent', path: '/recent', ready: 'h1' },
  { name: 'starred', path: '/starred', ready: 'h1' },
  { name: 'trash', path: '/trash', ready: 'h1' },
  { name: 'manual', path: '/manual', ready: 'article a' },
  { name: 'manual, a chapter', path: '/manual/options', ready: 'article table' },
  {
    name: 'manual, search',
    path: '/manual/undo',
    ready: 'article h2',
    steps: ({ page }) => page.locator('search input').fill('trash'),
    shows: 'search li',
  },
  { name: 'shared by me', path: '/settings/shares', ready: 'h1' },
  { name: 'profile', path: '/settings/profile', ready: 'h2' },
  { name: 'pages of the settings', path: '/settings', ready: 'h1' },
  {
    name: 'folder picker',
    path: '/settings/users/new',
    ready: 'form',
    steps: async (stage) => {
      await press(stage, 'Choose folder')
      await stage.page.locator('[role=dialog] [role=treeitem]').nth(1).waitFor()
      await press(stage, 'New folder')
    },
    shows: dialog,
  },
  {
    name: 'search in settings',
    path: '/settings',
    ready: '[role=combobox]',
    steps: ({ page }) => page.locator('[role=combobox]').fill('o'),
    shows: '[role=option]',
  },
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
  { name: 'user', path: '/settings/users/2', ready: 'form' },
  {
    name: 'delete a user',
    path: '/settings/users/2',
    ready: 'form',
    steps: (stage) => press(stage, 'Delete'),
    shows: dialog,
  },
  {
    name: 'refused settings',
    path: '/settings/profile',
    ready: 'h2',
    steps: async ({ page }) => {
      const fields = page.locator('input[type=password]')
      await fields.first().fill('one')
      await fields.last().fill('another')
    },
  },
  {
    name: 'trash, selection',
    path: '/trash',
    ready: '[data-part=row], [data-index]',
    steps: ({ page }) => page.locator('[data-check]').first().click(),
  },
  { name: 'error page', path: '/500', ready: 'h1, h2' },
]
