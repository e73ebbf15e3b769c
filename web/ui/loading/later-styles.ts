let applying: Promise<void> | undefined

const waitingLink = () => document.querySelector<HTMLLinkElement>('link[media=print]')

/** Begins to fetch the styles of lazy chunks, which the sign-in page does not need, with low priority. */
export function fetchLaterStyles(): void {
  waitingLink()?.removeAttribute('disabled')
}

/**
 * Applies the styles of lazy chunks. They are fetched with low priority, as styles for printing, so that the first listing
 * does not wait for them. Every lazy chunk waits for this.
 *
 * @throws Error when the styles cannot be fetched. The next call tries again.
 */
export function applyLaterStyles(): Promise<void> {
  applying ??= apply().catch((error: unknown) => {
    applying = undefined
    throw error
  })
  return applying
}

async function apply(): Promise<void> {
  const link = waitingLink()
  if (!link) return
  // The link itself does not tell whether its request has failed, or is still running. A copy does, and uses the same
  // response.
  const copy = link.cloneNode() as HTMLLinkElement
  copy.media = 'all'
  copy.removeAttribute('disabled')
  await new Promise((resolve, reject) => {
    copy.onload = resolve
    copy.onerror = () => {
      copy.remove()
      reject(new Error('the styles of lazy chunks cannot be fetched'))
    }
    link.before(copy)
  })
  link.remove()
}
