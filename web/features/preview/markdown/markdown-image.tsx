import { useState } from 'react'
import { useRawAddress } from '#web/features/preview/raw-address.ts'
import { linkTargetOf, pathOf } from './markdown-links.ts'

interface MarkdownImageProps {
  /** As written in the text. */
  href: string
  alt: string
  folder: string | undefined
}

/**
 * Shows a picture of a Markdown text if it is one of the user's own files. Other pictures become links: nothing is
 * fetched from other sites.
 */
export function MarkdownImage({ href, alt, folder }: MarkdownImageProps) {
  const path = pathOf(href, folder)
  const target = linkTargetOf(href, folder)
  if (path !== undefined) return <OwnImage path={path} alt={alt} />
  if (!target) return alt
  return (
    <a href={target.address} target="_blank" rel="noopener noreferrer">
      {alt || target.address}
    </a>
  )
}

interface OwnImageProps {
  path: string
  alt: string
}

function OwnImage({ path, alt }: OwnImageProps) {
  const { address, failure } = useRawAddress(path)
  const [isBroken, setBroken] = useState(false)
  if (failure || isBroken) return <em>{alt || path}</em>
  return address && <img src={address} alt={alt} onError={() => setBroken(true)} />
}
