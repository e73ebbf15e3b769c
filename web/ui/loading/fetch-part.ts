/** The timeout of one attempt to fetch a part of the page, in milliseconds. */
const timeoutMs = 120_000

/**
 * Fetches a lazy part of the page. Retries once, because connections may break.
 *
 * @throws the error of the second attempt.
 */
export function fetchWithRetry<Part>(load: () => Promise<Part>): Promise<Part> {
  return withTimeout(load).catch(() => withTimeout(load))
}

function withTimeout<Part>(load: () => Promise<Part>): Promise<Part> {
  return new Promise((resolve, reject) => {
    // A settled promise ignores the rejection, so the timer need not be cleared.
    setTimeout(reject, timeoutMs, new Error('late'))
    load().then(resolve, reject)
  })
}
