import { isIP } from 'node:net'
import { contract } from '#contract/index.ts'
import type { Endpoint } from '#contract/schema/endpoint.ts'
import type { Kind, Redactor } from './redactor.ts'

/** Redacts lines of the log, in either format. A line that is not one of Coffer is left out, except for its length. */
export function redactLines(lines: readonly string[], redactor: Redactor): string[] {
  return lines
    .flatMap((line) => line.split('\n').filter((part) => part.trim() !== ''))
    .map((line) => redactLine(line, redactor))
}

const longest = 16_384

function redactLine(whole: string, redactor: Redactor): string {
  const line = whole.slice(0, longest)
  if (line.startsWith('{')) return redactJson(line, redactor)
  const [, head, rest = ''] = /^(\d{4}-\d\d-\d\dT[\d:.]+Z [A-Z]+ {1,2})(.*)$/s.exec(line) ?? []
  if (head !== undefined) return head + redactFields(rest, redactor)
  return redactStackLine(line, redactor)
}

/** One line of a stack trace: the function, and the name of the source file without its folder. */
function redactStackLine(line: string, redactor: Redactor): string {
  const [, at = '', name = '', where = '', position = ''] =
    /^(\s+at (?:async )?)(?:([\w.<>[\] #$]+) \()?([^()]*?)(:\d+:\d+)?\)?$/.exec(line) ?? []
  if (where) {
    const file = sourceName(where) + position
    return at + (name ? `${name} (${file})` : file)
  }
  // The first line of a stack trace begins with the kind of the error.
  const [, kind, message = ''] = /^(\s+(?:\w*Error|Problem)(?: \[\w+\])?:) (.*)$/s.exec(line) ?? []
  if (kind) return `${kind} ${messageOf(kind.trim(), message, redactor)}`
  return leftOut(line)
}

/** The name of a source file of Coffer or Node, without its folder. */
function sourceName(where: string): string {
  if (/^node:[\w/]+$/.test(where)) return where
  const name = where.split(/[/\\]/).at(-1) ?? ''
  return /^[\w.-]+\.[cm]?[jt]sx?$/.test(name) ? `…/${name}` : '…'
}

/** The message of an error. That of a problem names the file that the user asked for. */
function messageOf(kind: string, message: string, redactor: Redactor): string {
  return kind.startsWith('Problem') ? leftOut(message) : redactFreeText(message, redactor)
}

function leftOut(text: string): string {
  return `[left out: ${text.length} characters]`
}

/** A message. Left out if it has a path without quotes, because the end of such a path is not known. */
function redactFreeText(message: string, redactor: Redactor): string {
  const rest = message
    .replaceAll('i/o error', '')
    .replace(/(?<=^[A-Z]+: [^,'"]*, \w+ )'.*'$/s, '')
    .replace(/(?<![\p{L}\p{N}])(?:'[^'\n]+'|"[^"\n]+"|`[^`\n]+`)(?![\p{L}\p{N}])/gu, '')
  const hasPath = /[/\\]/.test(rest)
  // A path may contain quotes.
  const isUnclear = /[/\\]/.test(message) && /['"`]/.test(rest)
  return hasPath || isUnclear ? leftOut(message) : redactor.text(message)
}

/** The message and the `key=value` pairs of a readable line. */
function redactFields(rest: string, redactor: Redactor): string {
  const at = rest.search(/ [\w.-]+=/)
  const message = at < 0 ? rest : rest.slice(0, at)
  const pairs = at < 0 ? '' : rest.slice(at)
  const fields = pairs.replace(
    / ([\w.-]+)=("(?:[^"\\]|\\.)*"|[^\s"]*)/g,
    (_, key: string, written: string) => {
      const value = written.startsWith('"') ? unquoted(written) : written
      return `\n${key}=${redactValue(key, value, redactor)}`
    },
  )
  // Coffer writes only pairs. Other text comes from other programs.
  const known = fields
    .split('\n')
    .slice(1)
    .map((pair) => ` ${pair.split(' ')[0]}`)
  return redactFreeText(message, redactor) + known.join('')
}

function unquoted(written: string): string {
  try {
    return String(JSON.parse(written))
  } catch {
    return written
  }
}

function redactJson(line: string, redactor: Redactor): string {
  let content: Record<string, unknown>
  try {
    content = JSON.parse(line)
  } catch {
    return leftOut(line)
  }
  const entries = Object.entries(content).map(([key, value]) => [
    fieldName(key, redactor),
    redactDeep(key, value, redactor, 0),
  ])
  return JSON.stringify(Object.fromEntries(entries))
}

const maxDepth = 4

function redactDeep(key: string, value: unknown, redactor: Redactor, depth: number): unknown {
  if (value === null || typeof value === 'boolean' || typeof value === 'number') return value
  if (typeof value === 'string') {
    if (key === 'msg') return redactFreeText(value, redactor)
    if (key === 'stack') return redactStack(value, redactor)
    return redactValue(key, value, redactor)
  }
  if (depth >= maxDepth || Array.isArray(value)) return '[left out]'
  const { type } = value as { type?: unknown }
  const entries = Object.entries(value as object).map(([inner, each]) => [
    fieldName(inner, redactor),
    inner === 'message' && typeof each === 'string'
      ? messageOf(String(type), each, redactor)
      : redactDeep(inner, each, redactor, depth + 1),
  ])
  return Object.fromEntries(entries)
}

/** The names of fields are ours, except in an error of another program. */
function fieldName(key: string, redactor: Redactor): string {
  return /^[a-zA-Z]{1,32}$/.test(key) ? key : redactor.placeholder('text', key)
}

function redactStack(stack: string, redactor: Redactor): string {
  return stack
    .split('\n')
    .map((line, at) =>
      at === 0 ? redactStackLine(`    ${line}`, redactor).trim() : redactStackLine(line, redactor),
    )
    .join('\n')
}

/** Fields whose values say nothing about anybody. */
const plainFields =
  /^(time|level|method|status|ms|bytes|aborted|request|code|errno|syscall|signal|limit|connections|files|duration|count|port|type|from|to|pid|trigger)$/

const kindByField = new Map<string, Kind>(
  Object.entries({
    user: 'user',
    username: 'user',
    owner: 'user',
    address: 'address',
    ip: 'address',
    peer: 'address',
    host: 'host',
    hostname: 'host',
  }),
)

function redactValue(key: string, value: string, redactor: Redactor): string {
  if (value === '') return value
  if (key === 'url') return redactUrl(value, redactor)
  const kind = kindByField.get(key)
  if (kind) return redactor.placeholder(kind, value)
  if (plainFields.test(key) && /^[\w.:+-]{1,64}$/.test(value) && !isIP(value)) return redactor.known(value)
  if (/^(?:\d{1,15}|true|false)$/.test(value)) return value
  return redactor.placeholder(value.includes('/') ? 'path' : 'text', value)
}

/** The addresses of the API, as lists of segments. */
const addresses = Object.keys(contract).map((address) => (address.split(' ')[1] ?? '').split('/'))
/** The names of all parameters of the API. */
const parameters = new Set(
  Object.values<Endpoint>(contract).flatMap(({ query }) =>
    Object.keys((query as { properties?: object } | undefined)?.properties ?? {}),
  ),
)

const pages = /^\/(?:|login|health|settings(?:\/(?:profile|shares|global|users|doctor))?\/?)$/

/** Keeps the endpoint and the page of a URL, and replaces the rest. */
function redactUrl(url: string, redactor: Redactor): string {
  const [path = '', query] = url.split('?', 2)
  return shapeOfPath(path, redactor) + (query === undefined ? '' : `?${shapeOfQuery(query)}`)
}

function shapeOfPath(path: string, redactor: Redactor): string {
  if (pages.test(path)) return path
  const given = path.split('/')
  const matching = addresses.filter((address) => isAddressOf(address, given))
  const found = matching.toSorted((a, b) => b.length - a.length)[0]
  if (!found) {
    const [, folder = ''] = /^(\/(?:files|share|static|settings\/users)\/)./.exec(path) ?? []
    return folder + redactor.placeholder('path', path.slice(folder.length))
  }
  const at = found.indexOf('*')
  const shape = found.map((part, index) =>
    part.startsWith(':') ? redactor.placeholder('text', given[index] ?? '') : part,
  )
  if (at < 0) return shape.join('/')
  const rest = given.slice(at).join('/')
  return [...shape.slice(0, at), rest && redactor.placeholder('path', rest)].join('/')
}

function isAddressOf(address: readonly string[], given: readonly string[]): boolean {
  const hasRest = address.at(-1) === '*'
  if (hasRest ? given.length < address.length - 1 : given.length !== address.length) return false
  return address.every((part, at) => part === '*' || part.startsWith(':') || part === given[at])
}

/** Keeps the names of parameters that the API has, and values that are numbers or switches. */
function shapeOfQuery(query: string): string {
  return query
    .split('&')
    .map((pair) => {
      const [name = '', value = ''] = pair.split('=', 2)
      const shownName = parameters.has(name) ? name : '…'
      return `${shownName}=${/^(?:true|false|\d{1,6}|name|size|modified)$/.test(value) ? value : '…'}`
    })
    .join('&')
}
