import { BlockList, isIP } from 'node:net'
import { plainAddress } from '#src/core/network.ts'

/** Networks of IPv4 that are not on the Internet, or not for one receiver (IANA special-purpose registry, RFC 6890). */
const specialV4 = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12'],
  ...['192.0.0.0/24', '192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15'],
  ...['198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4'],
]
/**
 * Only these addresses of IPv6 are on the Internet. So loopback, `fc00::/7`, `fe80::/10`, multicast, and the ways of
 * writing IPv4 outside of it (NAT64, compatible addresses) need no entry.
 */
const globalV6 = ['2000::/3']
/** The exceptions in it: protocols such as Teredo, documentation, and 6to4, which contains any address of IPv4. */
const specialV6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']

/** Decides with which hosts the server connects for its users. */
export interface AddressCheck {
  /** Whether the server may connect to this address, for a URL with this host. */
  allows(host: string, address: string): boolean
}

/** @param allow hosts, addresses and networks that are allowed besides the Internet */
export function createAddressCheck(allow: readonly string[]): AddressCheck {
  const isListed = listOf(allow.filter(isNetwork))
  const hosts = new Set(allow.filter((one) => !isNetwork(one)).map(hostKey))
  return {
    allows(host, address) {
      const plain = plainAddress(address)
      if (plain === '') return false
      return hosts.has(hostKey(host)) || isListed(plain) || isPublic(plain)
    },
  }
}

/** Whether an address belongs to one receiver on the Internet. */
function isPublic(address: string): boolean {
  if (isIP(address) === 4) return !isSpecialV4(address)
  return isGlobalV6(address) && !isSpecialV6(address)
}

const isSpecialV4 = listOf(specialV4)
const isGlobalV6 = listOf(globalV6)
const isSpecialV6 = listOf(specialV6)

function isNetwork(text: string): boolean {
  return isIP(text.split('/')[0] ?? '') !== 0
}

/** Returns a function that says whether an address is in one of these networks. */
function listOf(networks: readonly string[]): (address: string) => boolean {
  const list = new BlockList()
  for (const network of networks) {
    const [address = '', bits] = network.split('/')
    if (bits === undefined) list.addAddress(address, familyOf(address))
    else list.addSubnet(address, Number(bits), familyOf(address))
  }
  return (address) => list.check(address, familyOf(address))
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4'
}

/** A host name as it is compared: a dot at the end means the same host. */
function hostKey(host: string): string {
  return host.toLowerCase().replace(/\.$/, '')
}

/** The host of a URL, without the brackets of IPv6. URL parsing has turned all spellings of IPv4 into one. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, '$1')
}

/**
 * Why a webhook cannot have this URL. Undefined: it can. A name is looked up when something is sent, because it may
 * have another address then.
 */
export function urlFault(text: string, check: AddressCheck): string | undefined {
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol)) return 'must be a URL with https:// or http://'
  if (url.username || url.password) return 'must not contain a user name or a password'
  const host = hostOf(url)
  if (isIP(host) && !check.allows(host, host))
    return 'is not on the Internet; an administrator can allow it with --webhook-allow'
  return undefined
}
