/** The longest that one try to fetch a part of the page may take, in milliseconds. */
const patienceMs = 120_000

/**
 * Fetches a part of the page that comes later; where that fails, a second time, for connections break.
 *
 * @throws what the second try failed with.
 */
export function fetchPart<Part>(load: () => Promise<Part>): Promise<Part> {
  return inTime(load).catch(() => inTime(load))
}

function inTime<Part>(load: () => Promise<Part>): Promise<Part> {
  return new Promise((resolve, reject) => {
    // Of a promise that is settled nobody hears any more: the timer may run on.
    setTimeout(reject, patienceMs, new Error('late'))
    load().then(resolve, reject)
  })
}
