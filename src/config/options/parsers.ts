import { BlockList, isIP } from 'node:net'
import { entryOf } from '#src/core/lookup.ts'

/** Parses the text of one option. */
export interface Parser<T> {
  /** Undefined: invalid text. */
  parse(text: string): T | undefined
  /** Completes the sentence "… must be …". */
  readonly expects: string
  /** The type that a configuration file may use, besides text. */
  readonly nativeType?: 'number' | 'boolean' | 'list'
}

/** A parser that accepts only a part of the values of another one. */
export function limited<T>(parser: Parser<T>, isValid: (value: T) => boolean, expects: string): Parser<T> {
  const parse = (text: string) => {
    const value = parser.parse(text)
    return value !== undefined && isValid(value) ? value : undefined
  }
  return { ...parser, parse, expects }
}

export const text: Parser<string> = {
  parse: (value) => (value.includes('\0') ? undefined : value),
  expects: 'text in quotes',
}

const switches = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
])

export const booleanSwitch: Parser<boolean> = {
  parse: (value) => switches.get(value.toLowerCase()),
  expects: 'true or false',
  nativeType: 'boolean',
}

export const port: Parser<number> = {
  parse: (value) => (/^\d{1,5}$/.test(value) && Number(value) < 2 ** 16 ? Number(value) : undefined),
  expects: 'a number from 0 to 65535, where 0 means any free port',
  nativeType: 'number',
}

/** One of these words. */
function oneOf<T extends string>(...words: readonly T[]): Parser<T> {
  return { parse: (value) => words.find((word) => word === value), expects: words.join(' or ') }
}

export const format = oneOf('text', 'json')
export const loggedRequests = oneOf('all', 'errors')
export const siteGenerator = oneOf('hugo', 'jekyll')

export const mode: Parser<number> = {
  parse: (value) => (/^0?[0-7]{3}$/.test(value) ? Number.parseInt(value, 8) : undefined),
  expects: 'a file mode in octal and in quotes, such as "0660"',
}

/** A mode with at least the permissions `least` for the owner, without which Coffer could not use its own files. */
function modeWith(least: number, example: string): Parser<number> {
  const expects = `a file mode in octal and in quotes that lets the owner read and write, such as "${example}"`
  return limited(mode, (bits) => (bits & least) === least, expects)
}

export const fileMode = modeWith(0o600, '0664')
export const dirMode = modeWith(0o700, '0775')

// A proxy may strip the base path. With one of these as the base path, the server cannot know whether the proxy did.
const ownSegments: readonly (string | undefined)[] = ['api', 'static', 'health']

/** The path under which a proxy serves Coffer. Empty at the root, otherwise `/a/b`, whatever slashes were written. */
export const basePath: Parser<string> = {
  parse: (value) => {
    const segments = value.split('/').filter(Boolean)
    if (segments.some((segment) => !/^[\w.~-]+$/.test(segment) || /^\.+$/.test(segment))) return
    if (ownSegments.includes(segments[0])) return
    return segments.map((segment) => `/${segment}`).join('')
  },
  expects: 'the path of a URL without host, such as /files, and not begin with /api, /static or /health',
}

/** Scheme, host and port of a remote service. It must use https, unless it is on this machine. */
export const origin: Parser<string> = {
  parse: (value) => {
    const url = URL.parse(value)
    if (!url || `${url.origin}/` !== url.href || !/^([\w.-]+|\[[\da-f:]+\])$/.test(url.hostname)) return
    const isLocal = /^(localhost|127\.[\d.]+|\[::1\])$/.test(url.hostname)
    return url.protocol === 'https:' || (url.protocol === 'http:' && isLocal) ? url.origin : undefined
  },
  expects: 'a URL with https:// and without a path, such as https://www.google.com',
}

/** The name of an HTTP header (RFC 9110 §5.1), in lower case. */
export const headerName: Parser<string> = {
  parse: (value) => (/^[\w!#$%&'*+.^`|~-]+$/.test(value) ? value.toLowerCase() : undefined),
  expects: 'the name of an HTTP header, such as X-Remote-User',
}

/** Addresses or CIDR ranges, separated by commas or spaces. */
export const ranges: Parser<readonly string[]> = {
  parse: (value) => {
    const list = value.split(/[\s,]+/).filter(Boolean)
    return list.every(isRange) ? Object.freeze(list) : undefined
  },
  expects: 'IP addresses or ranges, such as 127.0.0.1,10.0.0.0/8',
  nativeType: 'list',
}

/** Host names, addresses or CIDR ranges, separated by commas or spaces. */
export const hosts: Parser<readonly string[]> = {
  parse: (value) => {
    const list = value.split(/[\s,]+/).filter(Boolean)
    return list.every((one) => isRange(one) || isHostName(one)) ? Object.freeze(list) : undefined
  },
  expects: 'host names, IP addresses or ranges, such as nas.lan,192.168.1.0/24',
  nativeType: 'list',
}

/** Whether a text is the name of a host. Digits and dots alone are an address that was written wrong. */
function isHostName(value: string): boolean {
  return /^[a-z\d]([\w.-]*[a-z\d])?$/i.test(value) && !/^[\d.]+$/.test(value)
}

function isRange(value: string): boolean {
  const [address = '', bits, ...rest] = value.split('/')
  const family = isIP(address)
  if (!family || rest.length) return false
  if (bits === undefined) return true
  try {
    new BlockList().addSubnet(address, Number(bits), family === 4 ? 'ipv4' : 'ipv6')
    return /^\d+$/.test(bits)
  } catch {
    return false // The number of bits does not fit the address.
  }
}

const unitMs = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 } as const

/** A duration in the syntax of Go (`1h30m`), in milliseconds: from one second to 30 days, the lifetime of a session. */
export const duration: Parser<number> = {
  parse: (value) => {
    if (!/^(\d+(\.\d+)?(ms|s|m|h))+$/.test(value)) return
    const parts = [...value.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)]
    const total = parts.reduce(
      (sum, [, amount, unit]) => sum + Number(amount) * (entryOf(unitMs, unit ?? '') ?? 0),
      0,
    )
    return total >= 1000 && total <= 720 * unitMs.h ? total : undefined
  },
  expects: 'a duration from 1s to 720h, such as 2h or 1h30m',
}
