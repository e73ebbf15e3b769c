import type { AnchorHTMLAttributes, MouseEvent } from 'react'
import { href, navigateTo } from './paths.ts'

interface PageLinkProps extends Omit<AnchorHTMLAttributes<HTMLAnchorElement>, 'href'> {
  /** Without the base path. */
  to: string
}

/** A link to a page of the app that does not reload the page. */
export function PageLink({ to, onClick, ...rest }: PageLinkProps) {
  const follow = (event: MouseEvent<HTMLAnchorElement>) => {
    onClick?.(event)
    // With a modifier key or another mouse button, the browser opens a tab or window, or starts a download.
    const isPlain = !(event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) && event.button === 0
    if (event.defaultPrevented || !isPlain) return
    event.preventDefault()
    navigateTo(to)
  }
  return <a href={href(to)} onClick={follow} {...rest} />
}
