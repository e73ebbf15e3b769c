import { page } from './page.ts'

/** Shows the page light or dark, as the instance says for everybody, or as this device likes it. */
export function applyTheme(): void {
  const { Theme, FollowDevice } = page
  document.documentElement.dataset.theme = Theme || (FollowDevice ? '' : 'light')
}
