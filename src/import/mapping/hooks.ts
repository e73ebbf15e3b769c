import { setEntry } from '#src/core/lookup.ts'
import { shellFault } from '#src/core/text/shell-quotes.ts'
import type { Fields } from '#src/import/reading/fields.ts'
import { hookEvents } from '#src/state/defaults.ts'
import type { SettingsRecord } from '#src/state/state.ts'
import type { Tell } from './access.ts'

// Limits of the API. More could not be saved again.
const [longestLine, mostLines] = [4096, 100]

/** Returns the shell: the program and its arguments. Old versions stored `[""]` for none. */
export function shellOf(words: readonly string[]): string[] {
  return words.map((word) => word.trim()).filter((word) => word !== '')
}

/**
 * Returns the command lines of all events. If a shell runs them, variables get double quotes, because the shell would
 * split their values. A line that cannot be changed in this way is left out.
 */
export function hooksOf(given: Fields, shell: readonly string[], tell: Tell): SettingsRecord['commands'] {
  const hooks: SettingsRecord['commands'] = Object.fromEntries(hookEvents.map((name) => [name, []]))
  for (const event of given.names()) {
    const written = given.texts(event).filter((line) => line.trim() !== '')
    if (!/^[A-Za-z0-9_-]{1,64}$/.test(event)) {
      if (written.length > 0) tell('dropped', `the commands of ${event}: there is no such event`)
      continue
    }
    const lines = written.flatMap((line) => lineOf(line.trim(), { event, shell, tell }))
    if (lines.length > mostLines)
      tell('dropped', `commands after the first ${mostLines} of ${event}: an event has no more in Coffer`)
    setEntry(hooks, event, lines.slice(0, mostLines))
  }
  return hooks
}

function lineOf(
  line: string,
  { event, shell, tell }: { event: string; shell: readonly string[]; tell: Tell },
): string[] {
  const drop = (reason: string) => {
    tell('dropped', `${event}: ${line.slice(0, 120)} (${reason})`)
    return []
  }
  if (line.length > longestLine) return drop(`longer than ${longestLine} characters`)
  if (/[\0\r\n]/.test(line)) return drop('it has several lines')
  // File Browser 1 had this variable. Empty, it could turn a path into another one.
  if (/\$\{?ROOT(?!\w)/.test(line)) return drop('Coffer does not set $ROOT')
  if (shell.length === 0 || shellFault(line) === undefined) return [line]
  const changed = withQuotes(line)
  const fault = shellFault(changed)
  if (fault !== undefined) return drop(fault)
  tell(
    'changed',
    `${event}: the line is now ${changed}, because the shell would split the value of the variable`,
  )
  return [changed]
}

// Text in quotes, an escaped character, or a variable outside of quotes.
const pieces =
  /'[^']*'|"(?:[^"\\]|\\.)*"|\\.|\$\{(?:FILE|DESTINATION|SCOPE|USERNAME)\}|\$(?:FILE|DESTINATION|SCOPE|USERNAME)(?!\w)/g

/** Puts variables that are outside of quotes in double quotes. */
function withQuotes(line: string): string {
  return line.replace(pieces, (piece) => (piece.startsWith('$') ? `"${piece}"` : piece))
}
