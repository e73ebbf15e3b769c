import { isIP, isIPv4, isIPv6 } from 'node:net'

/** Whether only this machine reaches what listens on `address` (RFC 1122 §3.2.1.3, RFC 4291 §2.5.3). */
export function isLoopback(address: string): boolean {
  return /^(127\.\d+\.\d+\.\d+|::1|localhost)$/.test(address)
}

/**
 * Whether the value of a `Host` header names the machine that a browser runs on: a loopback address, or a name that
 * nobody else can have answered for (RFC 6761 §6.3).
 */
export function isLoopbackHost(host: string): boolean {
  return /^(127\.\d+\.\d+\.\d+|\[::1\]|([a-z\d-]+\.)*localhost)(:\d*)?$/i.test(host)
}

/**
 * The network of a client, which is what its limits are counted by: whoever has one IPv6 address has the 2^64 beside it
 * too. IPv4 is one address, also when it is written as IPv6 (RFC 4291 §2.5.5.2). Some proxies tell the port as well, which
 * is another one for every connection and therefore left out. What is no address stays as it is.
 */
export function networkOf(address: string): string {
  // How a server that listens on every address sees IPv4, and so what most addresses look like.
  const unmapped = address.startsWith('::ffff:') ? address.slice(7) : address
  if (isIPv4(unmapped)) return unmapped
  const plain = withoutPort(address)
  if (!isIPv6(plain)) return plain
  const groups = expand(plain)
  const [, , , , , sixth, high = '0', low = '0'] = groups
  if (sixth === 'ffff' && groups.slice(0, 5).every((group) => group === '0')) return dotted(high, low)
  return groups.slice(0, 4).join(':')
}

function withoutPort(address: string): string {
  if (isIP(address)) return address
  const [, bracketed, open] = /^(?:\[([^\]]+)\](?::\d+)?|([\d.]+):\d+)$/.exec(address) ?? []
  return bracketed ?? open ?? address
}

/** The eight groups, without leading zeros and without the zone (RFC 4007 §11). */
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
