import type { ProblemCode } from '#contract/problems.ts'
import type { UserRecord } from '#src/core/state/state.ts'

/** Why somebody may run no command at all; undefined means go ahead (contract/README.md#commands). */
export function refusal({ perm }: Pick<UserRecord, 'perm'>, isOn: boolean): ProblemCode | undefined {
  return isOn && (perm.admin || perm.execute) ? undefined : 'auth.forbidden'
}

/** What is run, and what it is called with. */
export interface Plan {
  program: string
  args: readonly string[]
}

/**
 * What the words of a command line run; undefined when this person may not. Only the exact name of a program in their own
 * list counts, for administrators too. Where the instance has a shell, it gets `text` as its last argument. A shell runs
 * whatever it is told, so it is told plain words only, unless the person's list has the shell itself.
 */
export function planOf(
  words: readonly string[],
  text: string,
  { commands, shell }: { commands: readonly string[]; shell: readonly string[] },
): Plan | undefined {
  const [name = '', ...args] = words
  if (!commands.includes(name)) return undefined
  const [program, ...fixed] = shell
  if (!program) return { program: name, args }
  const isTrusted = commands.includes(lastName(program))
  if (!isTrusted && !(isPlain(text) && text.startsWith(name))) return undefined
  return { program, args: [...fixed, text] }
}

/**
 * Whether no shell sees more in a text than one program and its arguments. The list is of what is harmless, for shells
 * differ in what is not: quotes and patterns are, operators, substitutions and line ends are not.
 */
function isPlain(text: string): boolean {
  return /^[\w.+-]+( [\p{L}\p{M}\p{N} _./,:=@+~*?[\]'"-]*)?$/u.test(text)
}

/** As in `bash` for `/bin/bash`, and for `C:\msys\bash.exe`. */
function lastName(program: string): string {
  const name = program.slice(Math.max(program.lastIndexOf('/'), program.lastIndexOf('\\')) + 1)
  return name.replace(/\.exe$/i, '')
}
