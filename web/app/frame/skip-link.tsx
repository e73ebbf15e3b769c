import { useLingui } from '@lingui/react/macro'
import type { MouseEvent } from 'react'
import styles from './skip-link.module.css'

/** The first element that the Tab key reaches on every page, visible only then. It leads past the sidebar. */
export function SkipLink() {
  const { t } = useLingui()
  return (
    // The target must exist, so that tools that check the page know it as a skip link.
    // biome-ignore lint/a11y/useValidAnchor: a skip link is a link; following it would change the address.
    <a href="#app" className={styles.skip} data-part="skip" onClick={skip}>
      {t`Skip to content`}
    </a>
  )
}

/** Moves the focus to the list of the page, or else to its main part. The address stays. */
function skip(event: MouseEvent): void {
  event.preventDefault()
  const main = document.querySelector<HTMLElement>('main:not([inert])')
  const target = main?.querySelector<HTMLElement>('[role=grid], [data-message]') ?? main
  if (!target) return
  if (!target.hasAttribute('tabindex')) target.tabIndex = -1
  target.focus()
}
