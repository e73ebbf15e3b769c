import { page } from './page.ts'

/** Shows the page light or dark, as the instance says for everybody: light when it says nothing (specification, section 3). */
export function applyTheme(): void {
  document.documentElement.dataset.theme = page.Theme || 'light'
}
