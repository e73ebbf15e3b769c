/** One field at the top level of TOML: its name, the range of its lines, and the range of its value. */
export interface TomlSpan {
  name: string
  start: number
  end: number
  valueStart: number
  valueEnd: number
}

const keyPattern = /[ \t]*(?:([\w-]+)|"([^"\\\n]*)"|'([^'\n]*)')[ \t]*=[ \t]*/y

/**
 * Finds the fields at the top level of valid TOML, up to the first table, in one pass: strings, brackets and comments are
 * recognized, so that a value may take several lines (TOML 1.0). Names with dots are passed over.
 */
export function findSpans(source: string): { spans: TomlSpan[]; end: number } {
  const spans: TomlSpan[] = []
  let at = 0
  while (at < source.length && !/^[ \t]*\[/.test(source.slice(at, at + 64))) {
    keyPattern.lastIndex = at
    const key = keyPattern.exec(source)
    const { valueEnd, end } = endOfValue(source, key ? keyPattern.lastIndex : at)
    if (key) {
      const name = key[1] ?? key[2] ?? key[3] ?? ''
      const valueStart = at + key[0].length
      spans.push({ name, start: at, end, valueStart, valueEnd: Math.max(valueStart, valueEnd) })
    }
    at = end
  }
  return { spans, end: at }
}

const tokens =
  /"""(?:[^"\\]|\\[\s\S]|"(?!""))*"{3,5}|'''(?:[^']|'(?!''))*'{3,5}|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|#[^\n]*|\n|[[\]{}]|[^"'#\n[\]{}]+|[\s\S]/y

/** The end of the value that begins at `from`, and the end of its line. A line end inside brackets ends neither. */
function endOfValue(source: string, from: number): { valueEnd: number; end: number } {
  let [at, valueEnd, depth] = [from, from, 0]
  while (at < source.length) {
    tokens.lastIndex = at
    const [token = source.slice(at)] = tokens.exec(source) ?? []
    if (token === '\n' && depth === 0) return { valueEnd, end: at + 1 }
    depth += nesting.get(token) ?? 0
    const length = token.startsWith('#') ? 0 : token.trimEnd().length
    if (length > 0) valueEnd = at + length
    at += token.length
  }
  return { valueEnd, end: at }
}

const nesting = new Map([
  ['[', 1],
  ['{', 1],
  [']', -1],
  ['}', -1],
])
