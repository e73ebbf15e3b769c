import type { ShareOffer } from '#contract/shares.ts'
import type { FailureCode } from '#web/api/client.ts'

interface Chosen {
  name: string
  /** Bytes. */
  size: number
}

/** Why the server would refuse a file, so that it is not sent in vain. Undefined: it would not, as far as is known here. */
export function refusalOf(file: Chosen, offer: ShareOffer | undefined): FailureCode | undefined {
  if (offer?.maxFileSize !== undefined && file.size > offer.maxFileSize) return 'request.large'
  return isAccepted(file.name, offer?.types ?? []) ? undefined : 'share.type'
}

/** Only the server knows the media types: it derives them from the extension, and browsers do so in ways of their own. */
function isAccepted(name: string, types: readonly string[]): boolean {
  const isByExtension = types.length > 0 && types.every((type) => type.startsWith('.'))
  // To the server, `.pdf` is an extension without a name.
  const extension = /\.[^.]*$/.exec(name)?.[0] ?? ''
  return !isByExtension || types.includes(extension.toLowerCase())
}
