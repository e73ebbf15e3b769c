import type { AnchorHTMLAttributes, MouseEvent } from 'react'
import { go, href } from './paths.ts'

interface PageLinkProps extends Omit<AnchorHTMLAttributes<HTMLAnchorElement>, 'href'> {
  /** Without the base path. */
  to: string
}

/** A link to a page of the product, which the browser need not load anew. */
export function PageLink({ to, onClick, ...rest }: PageLinkProps) {
  const follow = (event: MouseEvent<HTMLAnchorElement>) => {
    onClick?.(event)
    // Any held key or other button asks for a new tab, a window or a download: the browser knows how.
    const isPlain = !(event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) && event.button === 0
    if (event.defaultPrevented || !isPlain) return
    event.preventDefault()
    go(to)
  }
  return <a href={href(to)} onClick={follow} {...rest} />
}
