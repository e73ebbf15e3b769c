import { useState } from 'react'
import { useRawAddress } from '#web/features/preview/raw-address.ts'
import { pathOf, targetOf } from './markdown-links.ts'

interface MarkdownImageProps {
  /** As it is written. */
  href: string
  alt: string
  folder: string | undefined
}

/** A picture of a text: one of the person's own files, or else a link to it, for nothing is fetched from strangers. */
export function MarkdownImage({ href, alt, folder }: MarkdownImageProps) {
  const path = pathOf(href, folder)
  const target = targetOf(href, folder)
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
