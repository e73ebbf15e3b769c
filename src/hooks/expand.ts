import { entryOf } from '#src/core/lookup.ts'

// One word without anything that a shell would read as more than that, and references to variables in it.
const oneWord = /^(?:[^\s$`'"\\;|&<>(){}[\]*?!#~^]|\$\w+|\$\{\w+\})+$/u
const reference = /\$(?:\{(\w+)\}|(\w+))/g

/** Variables that hold a path: a leading `./` keeps its meaning and makes it no option. */
const paths = ['FILE', 'DESTINATION', 'SCOPE']
/** Variables whose text is Coffer's own. Nobody outside chooses it, so it may be an option. */
const ours = ['TRIGGER']

/** Programs that read an argument as code, and the option in front of that argument. */
const interpreters: readonly [program: RegExp, option: RegExp][] = [
  [/^(r?bash|d?ash|z?sh|[lm]?ksh|t?csh|fish|yash|busybox|su|runuser|script|flock)$/, /^(-\w*c|--command)$/],
  [/^(python|pypy)[\d.]*$/, /^-\w*c$/],
  [/^(perl|ruby|lua|node|php)[\d.]*$/, /^(-\w*[eErp]|--eval|--print|--run)$/],
  [/^(powershell|pwsh)$/i, /^[-/](c|command)$/i],
  [/^cmd$/i, /^\/[ck]$/i],
]
/** Interpreters that take all words after that option as one piece of code. */
const takesRest = /^(powershell|pwsh|cmd)$/i

type Values = Readonly<Record<string, string>>

/** The words that a program is started with, or a sentence why it must not be started. */
export type Expanded = { words: string[] } | { refused: string }

/**
 * Replaces `$NAME` and `${NAME}` in the words of a command line by what `values` has for the name, once. Other names stay
 * as they are. The first word, which names the program, stays as it is.
 *
 * - Only in one plain word: an argument with blanks or operators is code for some interpreter, and so is the argument
 *   after `sh -c` and its like. The name of a file must not become a part of code. Code finds the same values in its
 *   environment.
 * - A value never becomes an option of the program: where a word would begin with the `-` of a value, a path gets `./` in
 *   front, and anything else is refused. After the word `--` no word is an option, so every value may stand there.
 */
export function expandWords([program = '', ...rest]: readonly string[], values: Values): Expanded {
  const code = codeIn([program, ...rest])
  const words = [program]
  let mayBeOption = true
  for (const [at, written] of rest.entries()) {
    const isCode = code.has(at + 1) || !oneWord.test(written)
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
  const choosing = first.name === undefined ? choosesOption(parts) : first.name
  if (choosing === undefined || ours.includes(choosing)) return word
  if (first.name !== undefined && paths.includes(first.name)) return `./${word}`
  return {
    refused: `the value of $${choosing} would become an option of the program; put the argument -- before ${written}`,
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

/** The variable whose value would name an option, as in `--$USERNAME`; undefined when the administrator wrote its name. */
function choosesOption(parts: readonly Part[]): string | undefined {
  const at = parts.findIndex(({ text }) => /[^-]/.test(text))
  return parts[at]?.name
}

/** The places of the words that an interpreter reads as code. */
function codeIn(words: readonly string[]): Set<number> {
  const code = new Set<number>()
  for (const [at, word] of words.entries()) {
    const name = lastName(word)
    const [, option] = interpreters.find(([program]) => program.test(name)) ?? []
    const given = option ? words.findIndex((each, place) => place > at && option.test(each)) : -1
    if (given < 0) continue
    const end = words.findIndex((each, place) => place > given && !each.startsWith('-'))
    const last = takesRest.test(name) || end < 0 ? words.length - 1 : end
    for (let place = given + 1; place <= last; place++) code.add(place)
  }
  return code
}

/** As in `bash` for `/bin/bash`, and in `cmd` for `C:\Windows\cmd.exe`. */
function lastName(word: string): string {
  return word.replace(/^.*[/\\]/s, '').replace(/\.exe$/i, '')
}
