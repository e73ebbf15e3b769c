import { isIP, isIPv4, isIPv6 } from 'node:net'

/** Whether only this machine can connect to `address` (RFC 1122 §3.2.1.3, RFC 4291 §2.5.3). */
export function isLoopback(address: string): boolean {
  return /^(127\.\d+\.\d+\.\d+|::1|localhost)$/.test(address)
}

/**
 * Whether the value of a `Host` header names the machine of the browser: a loopback address, or a name that always
 * resolves to one (RFC 6761 §6.3).
 */
export function isLoopbackHost(host: string): boolean {
  return /^(127\.\d+\.\d+\.\d+|\[::1\]|([a-z\d-]+\.)*localhost)(:\d*)?$/i.test(host)
}

/**
 * Returns the network of a client, by which its limits are counted. A client with one IPv6 address usually has all 2^64
 * addresses of its network. IPv4 is one address, also in IPv6 notation (RFC 4291 §2.5.5.2). Some proxies add the port,
 * which differs for each connection and is therefore removed. Text that is not an address is returned unchanged.
 */
export function networkOf(address: string): string {
  // A server that listens on every address receives IPv4 addresses in this form, so that it is the most frequent one.
  const unmapped = address.startsWith('::ffff:') ? address.slice(7) : address
  if (isIPv4(unmapped)) return unmapped
  const plain = withoutPort(address)
  if (!isIPv6(plain)) return plain
  const groups = expand(plain)
  const [, , , , , sixth, high = '0', low = '0'] = groups
  if (sixth === 'ffff' && groups.slice(0, 5).every((group) => group === '0')) return dotted(high, low)
  return groups.slice(0, 4).join(':')
}

/**
 * Returns the address of a client without the port that some proxies add, without the zone of a local address, and
 * IPv4 in its own notation. Returns empty text if it is not an address, because then a client may have written it.
 */
export function plainAddress(address: string | undefined): string {
  const [plain = ''] = withoutPort(address ?? '').split('%')
  const unmapped = plain.replace(/^::ffff:(?=\d+\.)/i, '')
  return isIP(unmapped) ? unmapped : ''
}

function withoutPort(address: string): string {
  if (isIP(address)) return address
  const [, bracketed, open] = /^(?:\[([^\]]+)\](?::\d+)?|([\d.]+):\d+)$/.exec(address) ?? []
  return bracketed ?? open ?? address
}

/** Returns the eight groups, without leading zeros and without the zone (RFC 4007 §11). */
function expand(address: string): string[] {
  const [bare = ''] = address.toLowerCase().split('%')
  const hex = bare.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, ...parts: string[]) => {
    const [a = 0, b = 0, c = 0, d = 0] = parts.slice(0, 4).map(Number)
    return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`
  })
  const [head = '', tail] = hex.split('::')
  const left = head ? head.split(':') : []
  const right = tail ? tail.split(':') : []
  const zeros = Array(Math.max(0, 8 - left.length - right.length)).fill('0')
  return [...left, ...zeros, ...right].map((group) => group.replace(/^0+(?=.)/, ''))
}

function dotted(high: string, low: string): string {
  return [high, low]
    .map((group) => Number.parseInt(group, 16))
    .flatMap((value) => [value >> 8, value & 255])
    .join('.')
}
