import { page } from './page.ts'

/** Sets light or dark for good when the instance says so; otherwise the style sheet follows the system. */
export function applyTheme(): void {
  const root = document.documentElement
  if (page.Theme) root.dataset.theme = page.Theme
  else delete root.dataset.theme
}
