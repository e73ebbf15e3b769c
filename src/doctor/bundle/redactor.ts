import { isIP } from 'node:net'
import { withoutSecrets } from '#src/core/log/log.ts'
import { literalPattern } from '#src/core/text/literal-pattern.ts'

/** What a placeholder stands for. */
export type Kind = 'user' | 'path' | 'name' | 'host' | 'address' | 'share' | 'secret' | 'text'

/** Replaces what identifies people and files by placeholders such as `user1`, the same one for the same value. */
export interface Redactor {
  /** The placeholder of one value. Users and hosts are compared without case. */
  placeholder(kind: Kind, value: string): string
  /** Replaces everything private in a text: known values, and what looks like a path, an address or a secret. */
  text(text: string): string
  /** Replaces known values and `names` only. For texts of Coffer, such as a finding. */
  known(text: string, names?: readonly string[]): string
}

/** @param known the private values of the instance, by kind */
export function createRedactor(known: Partial<Record<Kind, readonly string[]>>): Redactor {
  const numbers = new Map<string, string>()
  const counts = new Map<Kind, number>()

  function placeholder(kind: Kind, value: string): string {
    const key = `${kind} ${kind === 'user' || kind === 'host' ? value.toLowerCase() : value}`
    const given = numbers.get(key)
    if (given) return given
    const count = (counts.get(kind) ?? 0) + 1
    counts.set(kind, count)
    numbers.set(key, `${kind}${count}`)
    return `${kind}${count}`
  }

  const words = Object.entries(known).flatMap(([kind, values]) =>
    values.flatMap((value) => spellings(value).map((spelling) => ({ kind: kind as Kind, value, spelling }))),
  )
  const replaceWords = replacerOf(words, placeholder)

  const kinds = new Map(words.map(({ spelling, kind }) => [spelling.toLowerCase(), kind]))

  function redactKnown(text: string, names: readonly string[] = []): string {
    const own = names.flatMap((value) => {
      // The lists of the instance know what kind of name it is.
      const kind = kinds.get(value.toLowerCase()) ?? kindOf(value)
      return spellings(value).map((spelling) => ({ kind, value, spelling }))
    })
    return replaceWords(replacerOf(own, placeholder)(text))
  }

  return {
    placeholder,
    known: redactKnown,
    text(text) {
      // Before anything else, because a quoted value may contain spaces and slashes.
      const quoted = withoutSecrets(text)
        .replace(/(?<=^[A-Z]+: [^,'"]*, \w+ )'.*'$/s, (value) => placeholder('path', value.slice(1, -1)))
        .replace(/'([^'\n]+)'|"([^"\n]+)"|`([^`\n]+)`/g, (_, ...given: (string | undefined)[]) => {
          const value = given.slice(0, 3).find((each) => each !== undefined) ?? ''
          return placeholder(kindOf(value), value)
        })
      return redactPatterns(redactKnown(quoted), placeholder)
    },
  }
}

/** The kind of a value that no list names. */
function kindOf(value: string): Kind {
  if (isIP(value)) return 'address'
  return value.includes('/') || value.includes('\\') ? 'path' : 'name'
}

interface Word {
  kind: Kind
  value: string
  spelling: string
}

/** Returns a function that replaces words, the longest first, where no letter or digit is beside them. */
function replacerOf(words: readonly Word[], placeholder: Redactor['placeholder']): (text: string) => string {
  const bySpelling = new Map(words.map((word) => [word.spelling.toLowerCase(), word]))
  const sorted = [...bySpelling.keys()].filter(Boolean).sort((a, b) => b.length - a.length)
  if (sorted.length === 0) return (text) => text
  const pattern = new RegExp(
    `(?<![\\p{L}\\p{N}])(?:${sorted.map(literalPattern).join('|')})(?![\\p{L}\\p{N}])`,
    'giu',
  )
  return (text) =>
    text.replace(pattern, (found) => {
      const word = bySpelling.get(found.toLowerCase())
      return word ? placeholder(word.kind, word.value) : placeholder('text', found)
    })
}

/** The forms in which a value may be written: in a URL, in JSON, in a shell command, in another Unicode form. */
function spellings(value: string): string[] {
  const forms = [value, value.normalize('NFC'), value.normalize('NFD')]
  const plain = value.isWellFormed()
    ? forms.flatMap((form) => [form, encodeURIComponent(form), encodeURI(form)])
    : forms
  const shell = forms.map((form) => form.replaceAll("'", `'\\''`))
  return [...new Set([...shell, ...plain.flatMap((form) => [form, JSON.stringify(form).slice(1, -1)])])]
}

/** What looks private. In this order: a URL contains a host and a path. */
const patterns: readonly [kind: Kind, pattern: RegExp][] = [
  ['secret', /-----BEGIN [A-Z ]+-----[\s\S]*?(?:-----END [A-Z ]+-----|$)/g],
  // A code for the set-up page.
  ['secret', /\b[A-Z\d]{4}(?:-[A-Z\d]{4}){2,}\b/g],
  ['secret', /\$(?:argon2\w*|2[abxy])\$[^\s"']+/g],
  ['text', /\b[a-z][a-z\d+.-]*:\/\/[^\s"'<>]+/gi],
  ['user', /[^\s"'=<>():/]+@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+/gu],
  ['path', /[^\s"'=(),:;]*[/\\][^\s"'(),;]*/g],
  ['address', /(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?![\w.])/g],
  ['address', /(?<![\w:])(?:[\da-f]{0,4}:){2,7}(?:[\da-f]{1,4}|:)(?:%\w+)?(?![\w:])/gi],
  ['host', /\b(?:[a-z\d](?:[a-z\d-]*[a-z\d])?\.)+(?:local|lan|home|internal|test|[a-z]{2,6})\b(?!\()/gi],
  ['secret', /(?<![\w-])(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[\w-]{20,}(?![\w-])/g],
]

// What the patterns find, but which says nothing about anybody.
const harmless =
  /^(?:(?:secret|path|user|address|host|share|name|text)\d+|\d{4}-\d\d-\d\dT[\d:.]+Z?|\d\d:\d\d:\d\d(?:\.\d+)?|node:[\w/]+|[/\\]+|127\.0\.0\.1|::1?|0\.0\.0\.0|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})$/i

function redactPatterns(text: string, placeholder: Redactor['placeholder']): string {
  return patterns.reduce(
    (so, [kind, pattern]) =>
      so.replace(pattern, (found) => (harmless.test(found) ? found : placeholder(kind, found))),
    text,
  )
}
