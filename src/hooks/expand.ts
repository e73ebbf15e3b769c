import { entryOf } from '#src/core/lookup.ts'

// A word without shell syntax, except for references to variables.
const plainWord = /^(?:[^\s$`'"\\;|&<>(){}[\]*?!#~^]|\$\w+|\$\{\w+\})+$/u
const reference = /\$(?:\{(\w+)\}|(\w+))/g

/** Variables with a path. A leading `./` keeps the meaning of a path and prevents an option. */
const pathVariables = ['FILE', 'DESTINATION', 'SCOPE']
/** Variables whose value comes from Coffer itself. Users cannot choose it, so it may be an option. */
const trustedVariables = ['TRIGGER']

/** Programs that run an argument as code, and the option before that argument. */
const interpreters: readonly [program: RegExp, option: RegExp][] = [
  [/^(r?bash|d?ash|z?sh|[lm]?ksh|t?csh|fish|yash|busybox|su|runuser|script|flock)$/, /^(-\w*c|--command)$/],
  [/^(python|pypy)[\d.]*$/, /^-\w*c$/],
  [/^(perl|ruby|lua|node|php)[\d.]*$/, /^(-\w*[eErp]|--eval|--print|--run)$/],
  [/^(powershell|pwsh)$/i, /^[-/](c|command)$/i],
  [/^cmd$/i, /^\/[ck]$/i],
]
/** Interpreters that run all words after that option as code. */
const readsAllWords = /^(powershell|pwsh|cmd)$/i

type Values = Readonly<Record<string, string>>

/** The words of the command, or the reason why it must not run. */
export type ExpandResult = { words: string[] } | { refused: string }

/**
 * Replaces `$NAME` and `${NAME}` in the words of a command line with the values in `values`, once. Other names stay
 * unchanged. The first word, the program, stays unchanged.
 *
 * - Replaces only in plain words. An argument with spaces or operators is code for an interpreter, and so is the
 *   argument after `sh -c` and similar options. The name of a file must not become part of code. Code can read the same
 *   values from its environment.
 * - A value never becomes an option of the program. If a word would begin with the `-` of a value, a path gets `./` in
 *   front, and any other value is refused. After the word `--` no word is an option, so every value is permitted there.
 */
export function expandWords([program = '', ...rest]: readonly string[], values: Values): ExpandResult {
  const code = codeIn([program, ...rest])
  const words = [program]
  let mayBeOption = true
  for (const [at, written] of rest.entries()) {
    const isCode = code.has(at + 1) || !plainWord.test(written)
    const word = isCode ? written : expand(written, values, mayBeOption)
    if (typeof word !== 'string') return word
    if (written === '--') mayBeOption = false
    words.push(word)
  }
  return { words }
}

function expand(written: string, values: Values, mayBeOption: boolean): string | { refused: string } {
  const parts = partsOf(written, values)
  const word = parts.map(({ text }) => text).join('')
  const [first] = parts.filter(({ text }) => text !== '')
  if (!mayBeOption || !word.startsWith('-') || !first) return word
  const variable = first.name === undefined ? optionVariable(parts) : first.name
  if (variable === undefined || trustedVariables.includes(variable)) return word
  if (first.name !== undefined && pathVariables.includes(first.name)) return `./${word}`
  return {
    refused: `the program would read the value of $${variable} as an option; put the argument -- before ${written}`,
  }
}

/** A piece of a word: literal, or the value of the variable `name`. */
interface Part {
  text: string
  name?: string
}

function partsOf(written: string, values: Values): Part[] {
  const parts: Part[] = []
  let end = 0
  for (const match of written.matchAll(reference)) {
    const name = match[1] ?? match[2] ?? ''
    const value = entryOf(values, name)
    if (value === undefined) continue
    parts.push({ text: written.slice(end, match.index) }, { text: value, name })
    end = match.index + match[0].length
  }
  return [...parts, { text: written.slice(end) }]
}

/** The variable that would choose the option, as in `--$USERNAME`; undefined if the line itself names the option. */
function optionVariable(parts: readonly Part[]): string | undefined {
  const at = parts.findIndex(({ text }) => /[^-]/.test(text))
  return parts[at]?.name
}

/** The indexes of the words that an interpreter runs as code. */
function codeIn(words: readonly string[]): Set<number> {
  const code = new Set<number>()
  for (const [at, word] of words.entries()) {
    const name = programName(word)
    const [, option] = interpreters.find(([program]) => program.test(name)) ?? []
    const given = option ? words.findIndex((each, place) => place > at && option.test(each)) : -1
    if (given < 0) continue
    const end = words.findIndex((each, place) => place > given && !each.startsWith('-'))
    const last = readsAllWords.test(name) || end < 0 ? words.length - 1 : end
    for (let place = given + 1; place <= last; place++) code.add(place)
  }
  return code
}

/** The name of a program without folder and `.exe`: `bash` for `/bin/bash`, `cmd` for `C:\Windows\cmd.exe`. */
function programName(word: string): string {
  return word.replace(/^.*[/\\]/s, '').replace(/\.exe$/i, '')
}
