import { BlockList, isIP } from 'node:net'

/**
 * Tells whether what a peer's headers say of others is believed: of those in `ranges`, and of a peer without an address.
 * It came through our unix socket, which only those reach who may open the file, and whose clients only it can tell apart.
 */
export function trustedProxies(ranges: readonly string[]): (peer: string | undefined) => boolean {
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
