import { lockedPassword } from './instance.ts'
import { press, row, type Scene } from './stage.ts'

/** Pages without a session, and shares. */
export const visitors: Scene[] = [
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
  { name: 'shared folder', path: ['share', ''], ready: row, isPublic: true },
  { name: 'missing share', path: '/share/none', ready: 'h1, h2', isPublic: true },
  { name: 'shared picture', path: ['picture', ''], ready: 'img', isPublic: true },
  {
    name: 'shared folder, selection',
    path: ['share', ''],
    ready: row,
    isPublic: true,
    steps: ({ page }) => page.locator('[data-check]').first().click(),
  },
  { name: 'share with a password', path: ['locked', ''], ready: 'input[type=password]', isPublic: true },
  {
    name: 'share, wrong password',
    path: ['locked', ''],
    ready: 'input[type=password]',
    isPublic: true,
    steps: async ({ page }) => {
      await page.locator('input[type=password]').fill('wrong')
      await page.keyboard.press('Enter')
    },
    shows: '[role=alert]',
  },
  {
    name: 'share, opened',
    path: ['locked', ''],
    ready: 'input[type=password]',
    isPublic: true,
    steps: async ({ page }) => {
      await page.locator('input[type=password]').fill(lockedPassword)
      await page.keyboard.press('Enter')
    },
    shows: row,
  },
  {
    name: 'sign-up',
    path: '/login',
    ready: 'input[type=password]',
    isPublic: true,
    steps: (stage) => press(stage, 'Create an account'),
    shows: 'input[name=confirm], input[type=password] >> nth=1',
  },
  { name: 'set-up', path: ['setup', '/setup'], ready: 'input[type=password]', isPublic: true },
]
