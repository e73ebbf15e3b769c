import type { Preferences } from '#contract/users.ts'
import { writeAs } from '#web/ui/format/format.ts'
import { page } from './page.ts'

/** Applies the user's choices about the look of the page. Undefined if no user is signed in. */
export function applyLook(user: Partial<Preferences> | undefined): void {
  const { theme, density = '', sizeUnit, dateStyle } = user ?? {}
  applyTheme(theme)
  document.documentElement.dataset.density = density
  writeAs(sizeUnit === 'decimal', dateStyle === 'iso')
}

/** Applies the light or dark theme: the user's choice, else the default of the instance. */
export function applyTheme(own: Preferences['theme'] = ''): void {
  const { dataset } = document.documentElement
  const theme = own || page.Theme || (page.FollowDevice ? 'auto' : 'light')
  // An empty theme follows the device (`style/tokens.css`).
  const shown = theme === 'auto' ? '' : theme
  if (dataset.theme === shown) return
  dataset.theme = shown
  colorWindow()
}

/** Sets the colour of the browser window. The server already sends one with the page (`src/server/spa-page.ts`). */
export function colorWindow(): void {
  for (const old of document.querySelectorAll('meta[name=theme-color]')) old.remove()
  const content = page.Color || getComputedStyle(document.body).backgroundColor
  document.head.append(Object.assign(document.createElement('meta'), { name: 'theme-color', content }))
}
