import { dialog, file, press, type Scene } from './stage.ts'

const text = `${file} [role=textbox]`

/** A website. Without Hugo these screens are left out. */
export const website: Scene[] = [
  { name: 'website', path: ['site', '/files/content/posts/'], ready: '[data-index]' },
  {
    name: 'website, menu',
    path: ['site', '/files/'],
    ready: '[data-index]',
    below: 737,
    steps: (stage) => press(stage, 'Menu'),
    shows: '[data-part=site]',
  },
  { name: 'front matter', path: ['site', '/files/content/posts/sea.md'], ready: '[data-part=front-matter]' },
  {
    name: 'schedule',
    path: ['site', '/files/content/posts/sea.md'],
    ready: text,
    steps: async (stage) => {
      const { page, say } = stage
      const schedule = page.getByRole('button', { name: say('Schedule'), exact: true })
      if (await schedule.isVisible()) return schedule.click()
      await press(stage, 'Publish or schedule')
      await page.getByRole('menuitem', { name: say('Schedule') }).click()
    },
    shows: dialog,
  },
  { name: 'website, settings', path: ['site', '/settings/global'], ready: 'h2' },
]
