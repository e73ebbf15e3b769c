import type { Preferences } from '#contract/users.ts'
import { page } from './page.ts'

/** Shows the page light or dark: as the person has chosen, else as the instance says for everybody. */
export function applyTheme(own: Preferences['theme'] = ''): void {
  const { dataset } = document.documentElement
  const theme = own || page.Theme || (page.FollowDevice ? 'auto' : 'light')
  // An empty one follows the device (`style/tokens.css`).
  const shown = theme === 'auto' ? '' : theme
  if (dataset.theme === shown) return
  dataset.theme = shown
  colorWindow()
}

/** Gives the browser's window the colour of the page. The server names one when it sends the page (`src/server/spa-page.ts`). */
export function colorWindow(): void {
  for (const old of document.querySelectorAll('meta[name=theme-color]')) old.remove()
  const content = page.Color || getComputedStyle(document.body).backgroundColor
  document.head.append(Object.assign(document.createElement('meta'), { name: 'theme-color', content }))
}
