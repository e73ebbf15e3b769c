// What is asked of the disk grows with the number of names in a path. So many names cost as much as one request.
const namesPerRequest = 8

/** As how many requests an address counts for somebody who has not signed in: long paths count as more. */
export function costOf(address: string): number {
  const [path = ''] = address.split('?')
  return Math.max(1, Math.ceil((path.split(/\/|%2f/i).length - 1) / namesPerRequest))
}
