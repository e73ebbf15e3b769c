import type { ProblemCode } from '#contract/problems.ts'
import type { UserRecord } from '#src/state/state.ts'

/** Returns why a user may run no commands at all, or undefined when the user may (contract/README.md#commands). */
export function refusal({ perm }: Pick<UserRecord, 'perm'>, isOn: boolean): ProblemCode | undefined {
  return isOn && (perm.admin || perm.execute) ? undefined : 'auth.forbidden'
}

/** The program to run, and its arguments. */
export interface Plan {
  program: string
  args: readonly string[]
}

/**
 * Decides what the words of a command line run. Returns undefined when this user may not run them. Only the exact
 * name of a program in the user's own list is accepted, for administrators too. When the instance has a shell, `text`
 * becomes the shell's last argument. A shell runs any text as a script, so the text must be plain words unless the
 * user's list contains the shell itself.
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
 * Whether every shell reads the text as one program and its arguments. This is a list of harmless characters, because
 * shells differ in their special characters. Quotes and patterns are allowed. Operators, substitutions and line ends
 * are not.
 */
function isPlain(text: string): boolean {
  return /^[\w.+-]+( [\p{L}\p{M}\p{N} _./,:=@+~*?[\]'"-]*)?$/u.test(text)
}

/** Returns `bash` for `/bin/bash` and for `C:\msys\bash.exe`. */
function lastName(program: string): string {
  const name = program.slice(Math.max(program.lastIndexOf('/'), program.lastIndexOf('\\')) + 1)
  return name.replace(/\.exe$/i, '')
}
