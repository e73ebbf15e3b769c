/** A piece of a line that is read as code, up to a closing sign or to the end of the line, or a piece in double quotes. */
interface Piece {
  end: ')' | '`' | '"' | undefined
  /** How many `case` have no `esac` yet: between them `)` ends a pattern and not the piece. */
  cases: number
}

/** What is skipped or counted in code. A comment begins only where a word could begin. */
const inCode = /\\[\s\S]|(?<=^|[\s;&|()])#|\b(?:case|esac)\b|\$?\(|[)`"']/y
const inQuotes = /\\[\s\S]|\$\(|[`"]/y

/** Variables of bound commands whose values people choose. */
const chosen = /\$(?:\{[#!]?)?(FILE|DESTINATION|SCOPE|USERNAME)(?!\w)/y

/**
 * Why a shell must not run a bound command: it uses a variable, whose value people choose, outside double quotes. The shell
 * would split the value into words and take `*` in it as a pattern, so the name of a file could become several arguments of
 * a program, or an option of it. Undefined: it may run.
 *
 * Text in single quotes and in comments is judged like a line of its own: a shell passes single-quoted text on as it is, and
 * what gets it may be a shell again. Where shells differ, a line is rather refused than allowed.
 */
export function shellFault(line: string): string | undefined {
  const name = nameOutsideQuotes(line)
  return name && `the shell would split the value of $${name}: write "$${name}", in double quotes`
}

/** @param isComment the line is a comment, in which no other one begins */
function nameOutsideQuotes(line: string, isComment = false): string | undefined {
  const pieces: [Piece, ...Piece[]] = [{ end: undefined, cases: 0 }]
  for (let at = 0; at < line.length; ) {
    const piece = pieces.at(-1) ?? pieces[0]
    const { used, token = '' } = readAt(line, at, piece)
    const apart = apartAt(line, at + 1, { token, isComment })
    const name = used ?? (apart && nameOutsideQuotes(apart.text, apart.isComment))
    if (name) return name
    if (!apart) step(pieces, piece, token)
    at = apart?.end ?? at + (token.length || 1)
  }
  return undefined
}

/** What begins here: a variable that is not in double quotes, or a token. */
function readAt(line: string, at: number, { end }: Piece): { used?: string | undefined; token?: string } {
  if (end === '"') return matchAt(inQuotes, line, at)
  const { used } = matchAt(chosen, line, at)
  return used ? { used } : matchAt(inCode, line, at)
}

/** The text that follows a single quote or the sign of a comment, and where it ends. */
function apartAt(line: string, from: number, { token, isComment }: { token: string; isComment: boolean }) {
  if (token !== "'" && (token !== '#' || isComment)) return undefined
  const found = line.indexOf(token === '#' ? '\n' : "'", from)
  const end = found === -1 ? line.length : found
  return { text: line.slice(from, end), end: end + 1, isComment: isComment || token === '#' }
}

/** Enters or leaves a piece at a token. */
function step(pieces: Piece[], piece: Piece, token: string): void {
  if (token === 'case') piece.cases++
  else if (token === 'esac') piece.cases--
  else if (token === piece.end) leave(pieces, piece)
  else if (token === '(' || token === '$(') pieces.push({ end: ')', cases: 0 })
  else if (token === '"' || token === '`') pieces.push({ end: token, cases: 0 })
}

function leave(pieces: Piece[], { end, cases }: Piece): void {
  if (end !== ')' || cases <= 0) pieces.pop()
}

function matchAt(pattern: RegExp, line: string, at: number): { token?: string; used?: string | undefined } {
  pattern.lastIndex = at
  const found = pattern.exec(line)
  return found ? { token: found[0], used: found[1] } : {}
}
