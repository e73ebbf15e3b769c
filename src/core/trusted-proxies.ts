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
