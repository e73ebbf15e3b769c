// The disk queries of a request grow with the number of names in its path. This many names count as one request.
const namesPerRequest = 8

/** The cost of a URL for a client that has not signed in, in requests: long paths count as several. */
export function requestCost(url: string): number {
  const [path = ''] = url.split('?')
  return Math.max(1, Math.ceil((path.split(/\/|%2f/i).length - 1) / namesPerRequest))
}
