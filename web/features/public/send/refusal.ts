import type { ShareOffer } from '#contract/shares.ts'
import type { FailureCode } from '#web/api/client.ts'
import { fileExtension } from '#web/shared/names/name-rule.ts'

interface Chosen {
  name: string
  /** The media type, as far as the browser knows it; else empty. */
  type: string
  /** Bytes. */
  size: number
}

/** Why the server would refuse a file, so that it is not sent in vain. Undefined: it would not, as far as is known here. */
export function refusalOf(file: Chosen, offer: ShareOffer | undefined): FailureCode | undefined {
  if (offer?.maxFileSize !== undefined && file.size > offer.maxFileSize) return 'request.large'
  return isAccepted(file, offer?.types ?? []) ? undefined : 'share.type'
}

function isAccepted({ name, type }: Chosen, types: readonly string[]): boolean {
  const extension = fileExtension(name)
  return (
    types.length === 0 ||
    types.some((one) => {
      if (one.startsWith('.')) return one === extension
      // The server knows more media types than some browsers.
      return type === '' || type === one || (one.endsWith('/*') && type.startsWith(one.slice(0, -1)))
    })
  )
}
