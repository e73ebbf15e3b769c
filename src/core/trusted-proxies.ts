import type { IncomingHttpHeaders } from 'node:http'
import { BlockList, isIP } from 'node:net'

/**
 * Returns whether the forwarding headers of a peer are trusted: of peers in `ranges`, and of a peer without an address.
 * Such a peer connected through the unix socket, which only permitted local users can open, and only its headers
 * identify the client.
 */
export function createProxyCheck(ranges: readonly string[]): (peer: string | undefined) => boolean {
  const trusted = new BlockList()
  for (const range of ranges) {
    const [address = '', bits] = range.split('/')
    const family = familyOf(address)
    if (bits === undefined) trusted.addAddress(address, family)
    else trusted.addSubnet(address, Number(bits), family)
  }
  return (peer) => !peer || (isIP(peer) !== 0 && trusted.check(peer, familyOf(peer)))
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4'
}

/** The headers in which a proxy names the address of the client. */
const forwardingHeaders = ['x-forwarded-for', 'forwarded', 'x-real-ip'] as const

/** Whether a request has a header in which a proxy names the address of the client. */
export function hasForwardedAddress(headers: IncomingHttpHeaders): boolean {
  return forwardingHeaders.some((name) => headers[name] !== undefined)
}

/**
 * Notices proxies that send the addresses of clients without being trusted. Only proxies in private networks count,
 * because any client of the Internet can send such headers, and would then be recommended as a proxy.
 */
export function createProxyWatch(trustedProxy: readonly string[]) {
  const isTrusted = createProxyCheck(trustedProxy)
  let untrusted: string | undefined
  return {
    isTrusted,
    note(peer: string | undefined, headers: IncomingHttpHeaders): void {
      if (peer !== undefined && hasForwardedAddress(headers) && !isTrusted(peer) && isPrivate(peer))
        untrusted = peer
    },
    /** The last such proxy; undefined: there was none. */
    untrustedPeer: () => untrusted,
  }
}

export type ProxyWatch = ReturnType<typeof createProxyWatch>

const privateNetworks = new BlockList()
for (const [address, bits] of [
  ['127.0.0.0', 8],
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
] as const)
  privateNetworks.addSubnet(address, bits, 'ipv4')
privateNetworks.addAddress('::1', 'ipv6')
privateNetworks.addSubnet('fc00::', 7, 'ipv6')

function isPrivate(peer: string): boolean {
  const family = isIP(peer) === 6 ? 'ipv6' : 'ipv4'
  return isIP(peer) !== 0 && privateNetworks.check(peer, family)
}
