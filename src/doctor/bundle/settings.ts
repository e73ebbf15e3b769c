import { isIP } from 'node:net'
import type { Config } from '#src/config/config.ts'
import { isLoopback } from '#src/core/network.ts'
import type { State } from '#src/state/state.ts'
import type { Kind, Redactor } from './redactor.ts'

// Each option that is text: a value with a small number of choices is shown, any other becomes a placeholder. A new
// option is hidden until it is listed here.
const shown = new Set(['logFormat', 'logRequests', 'staticgen'])
const kinds: Partial<Record<keyof Config, Kind>> = {
  address: 'address',
  trustedProxy: 'address',
  webhookAllow: 'address',
  root: 'path',
  database: 'path',
  baseUrl: 'path',
  cert: 'path',
  key: 'path',
  socket: 'path',
  cacheDir: 'path',
  configFile: 'path',
  username: 'user',
}
const words = /^(stdout|stderr|https:\/\/www\.(google\.com|recaptcha\.net))$/

/** The options of `serve`, one a line, without paths, names, addresses and secrets. */
export function describeOptions(config: Config, redactor: Redactor): string {
  return Object.entries(config)
    .map(([key, value]) => `${key}: ${optionText(key as keyof Config, value, redactor)}`)
    .join('\n')
}

function optionText(key: keyof Config, value: unknown, redactor: Redactor): string {
  if (value === undefined || value === '') return 'not set'
  if (typeof value === 'number' && /(Mode|Perm)$/.test(key)) return octal(value)
  if (typeof value === 'boolean' || typeof value === 'number') return String(value)
  const texts = Array.isArray(value) ? value.map(String) : [String(value)]
  return texts.map((text) => optionWord(key, text, redactor)).join(', ') || 'not set'
}

function optionWord(key: keyof Config, text: string, redactor: Redactor): string {
  const isAnyAddress = key === 'address' && isIP(text) !== 0 && /^[0:.]+$/.test(text)
  if (shown.has(key) || words.test(text) || isAnyAddress) return text
  if (key === 'address' && isLoopback(text)) return text
  const kind = kinds[key] ?? (text.includes('/') ? 'path' : undefined)
  return kind ? redactor.placeholder(kind, text) : 'set'
}

/** The settings of the instance, and counts of users, rules and shares. No names, paths and patterns. */
export function describeSettings(state: State | undefined): string {
  if (!state) return 'There is no state.'
  const { settings, users, shares, credentials } = state
  const people = Object.values(users)
  const count = (what: (user: (typeof people)[number]) => boolean) => people.filter(what).length
  const hashes = Object.groupBy(
    Object.values(credentials.passwords),
    (hash) => /^\$(\w+)\$/.exec(hash)?.[1] ?? 'other',
  )
  const facts: Record<string, unknown> = {
    'version of the state': state.version,
    users: people.length,
    administrators: count(({ perm }) => perm.admin),
    'users with rules': count(({ rules }) => rules.length > 0),
    'users with commands': count(({ commands }) => commands.length > 0),
    'users with a folder of their own': count(({ scope }) => scope !== '/'),
    'different folders': new Set(people.map(({ scope }) => scope)).size,
    ...Object.fromEntries(
      Object.entries(hashes).map(([kind, list]) => [`passwords as ${kind}`, list?.length]),
    ),
    shares: Object.keys(shares).length,
    'shares with a password': Object.values(shares).filter(({ password }) => password !== '').length,
    ...shapeOf(settings, 'settings'),
  }
  return Object.entries(facts)
    .map(([name, fact]) => `${name}: ${fact}`)
    .join('\n')
}

// Settings that are text with a small number of choices.
const choices = /^(viewMode|theme|locale|by|kind|Generator|security)$/

/** Numbers, switches and choices as they are; of texts only whether they are set; of lists the length. */
function shapeOf(value: unknown, name: string): Record<string, string> {
  if (Array.isArray(value) || typeof value !== 'object' || value === null)
    return { [name]: shapeOfOne(value, name) }
  return Object.assign({}, ...Object.entries(value).map(([key, each]) => shapeOf(each, `${name}.${key}`)))
}

function shapeOfOne(value: unknown, name: string): string {
  if (Array.isArray(value)) return `${value.length} entries`
  if (typeof value === 'number' && /Mode$/.test(name)) return octal(value)
  if (typeof value !== 'string') return String(value)
  if (value === '') return 'not set'
  return choices.test(name.split('.').at(-1) ?? '') && /^[\w -]{1,20}$/.test(value) ? value : 'set'
}

function octal(mode: number): string {
  return mode.toString(8).padStart(4, '0')
}
