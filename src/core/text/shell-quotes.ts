/** A section of a line: code up to a closing token or the end of the line, or text in double quotes. */
interface Section {
  end: ')' | '`' | '"' | undefined
  /** How many `case` have no `esac` yet. Between them, `)` ends a pattern and not the section. */
  cases: number
}

/** Tokens in code. A comment starts only where a word could start. */
const codeTokens = /\\[\s\S]|(?<=^|[\s;&|()])#|\b(?:case|esac)\b|\$?\(|[)`"']/y
const quotedTokens = /\\[\s\S]|\$\(|[`"]/y

/** Variables of bound commands whose values users choose. */
const userVariables = /\$(?:\{[#!]?)?(FILE|DESTINATION|SCOPE|USERNAME)(?!\w)/y

/**
 * Returns why a shell must not run a bound command: it uses a variable outside double quotes whose value users choose.
 * The shell would split the value into words and expand `*`, so that the name of a file could become several arguments
 * of a program, or an option. Undefined when the command is safe.
 *
 * Text in single quotes and in comments is checked like a line of its own, because a shell passes single-quoted text
 * unchanged, possibly to another shell. Where shells differ, the check refuses the line.
 */
export function shellFault(line: string): string | undefined {
  const name = nameOutsideQuotes(line)
  return name && `the shell would split the value of $${name}: write "$${name}", in double quotes`
}

/** @param isComment whether the line is a comment, in which no other comment starts */
function nameOutsideQuotes(line: string, isComment = false): string | undefined {
  const sections: [Section, ...Section[]] = [{ end: undefined, cases: 0 }]
  for (let at = 0; at < line.length; ) {
    const section = sections.at(-1) ?? sections[0]
    const { variable, token = '' } = readAt(line, at, section)
    const separate = separateAt(line, at + 1, { token, isComment })
    const name = variable ?? (separate && nameOutsideQuotes(separate.text, separate.isComment))
    if (name) return name
    if (!separate) step(sections, section, token)
    at = separate?.end ?? at + (token.length || 1)
  }
  return undefined
}

/** Reads what starts at this position: a variable outside double quotes, or a token. */
function readAt(
  line: string,
  at: number,
  { end }: Section,
): { variable?: string | undefined; token?: string } {
  if (end === '"') return matchAt(quotedTokens, line, at)
  const { variable } = matchAt(userVariables, line, at)
  return variable ? { variable } : matchAt(codeTokens, line, at)
}

/** Returns the text after a single quote or the start of a comment, and where it ends. */
function separateAt(line: string, from: number, { token, isComment }: { token: string; isComment: boolean }) {
  if (token !== "'" && (token !== '#' || isComment)) return undefined
  const found = line.indexOf(token === '#' ? '\n' : "'", from)
  const end = found === -1 ? line.length : found
  return { text: line.slice(from, end), end: end + 1, isComment: isComment || token === '#' }
}

/** Enters or leaves a section at a token. */
function step(sections: Section[], section: Section, token: string): void {
  if (token === 'case') section.cases++
  else if (token === 'esac') section.cases--
  else if (token === section.end) leave(sections, section)
  else if (token === '(' || token === '$(') sections.push({ end: ')', cases: 0 })
  else if (token === '"' || token === '`') sections.push({ end: token, cases: 0 })
}

function leave(sections: Section[], { end, cases }: Section): void {
  if (end !== ')' || cases <= 0) sections.pop()
}

function matchAt(
  pattern: RegExp,
  line: string,
  at: number,
): { token?: string; variable?: string | undefined } {
  pattern.lastIndex = at
  const found = pattern.exec(line)
  return found ? { token: found[0], variable: found[1] } : {}
}
