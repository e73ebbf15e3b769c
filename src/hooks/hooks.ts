import type { splitWords } from '#src/commands/split-words.ts'
import { createSemaphore } from '#src/core/concurrency/semaphore.ts'
import type { Logger } from '#src/core/log/log.ts'
import { entryOf } from '#src/core/lookup.ts'
import { Problem, type Recheck, unconditional } from '#src/core/problem.ts'
import { shellFault } from '#src/core/text/shell-quotes.ts'
import type { HookContext, HookEvent, Hooks } from '#src/entries/hooks.ts'
import { hasEscapedBytes } from '#src/files/paths/byte-names.ts'
import { findProgramByNameOrPath } from '#src/sandbox/find-program.ts'
import type { run } from '#src/sandbox/run.ts'
import type { SettingsRecord } from '#src/state/state.ts'
import { type ExpandResult, expandWords } from './expand.ts'

/** The environment variables of a command. */
type Values = Readonly<Record<string, string>>

// Maximum duration of commands that the user waits for, and of background commands.
const timeoutMs = 5 * 60_000
const backgroundTimeoutMs = 6 * 60 * 60_000
const mostOutput = 256 * 1024
// Maximum number of commands that run at once, and of commands that wait.
const queue = { all: 8, waitingAll: 1000 }

/**
 * Runs the command lines that administrators bound to operations (contract/compatibility.md#bound-commands).
 *
 * - With a shell in the settings, each line is the last argument of the shell, as it is written. The shell reads
 *   `$FILE` and similar variables from its environment. These variables must be in double quotes, or the line does not
 *   run. A line that runs a value as code on purpose (`eval`) is the responsibility of the administrator.
 * - Without a shell, names of files reach programs as arguments and in the environment. A name is never read as part of
 *   a command.
 *
 * @param options.settings the current settings
 * @param options.isOn whether the instance was started with `--enable-exec`; otherwise no command runs
 * @param options.served real path of the served folder: programs in it never run
 * @param options.env environment of programs, besides the variables of the operation
 */
export function createHooks(options: {
  settings: () => SettingsRecord
  isEnabled: boolean
  served: string
  env: Readonly<Record<string, string>>
  run: typeof run
  splitWords: typeof splitWords
  log: Logger
}): BoundCommands {
  const { settings, isEnabled: isOn, served, env, log } = options
  const running = createSemaphore('commands', queue)
  const closing = new AbortController()
  const linesOf = (trigger: string) => (isOn ? (entryOf(settings().commands, trigger) ?? []) : [])

  /**
   * Runs one line as soon as a permit is free. Returns whether it succeeded; also false when too many commands wait.
   *
   * @throws the problems of `recheck`.
   */
  async function runLine(
    line: string,
    values: Values,
    { limitMs, recheck }: { limitMs: number; recheck: Recheck },
  ) {
    if (running.waiting >= queue.waitingAll) return false
    using _permit = await running.acquire('all', { recheck })
    const { shell } = settings()
    const expanded = wordsOf(line, values, { shell, splitWords: options.splitWords })
    const logFields = { trigger: values.TRIGGER, user: values.USERNAME, line }
    if ('refused' in expanded) {
      log.error({ ...logFields, reason: expanded.refused }, 'the server did not run a bound command')
      return false
    }
    const [name = '', ...args] = expanded.words
    const program = await findProgramByNameOrPath(name, { path: env.PATH ?? '', served })
    if (!program) {
      log.error(logFields, 'the program of a bound command does not exist or is in the served folder')
      return false
    }
    // Not the folder of the file: programs may load files of users from their working folder.
    const task = { program, name, folder: '/', env: { ...env, ...values } }
    const logOutput = (output: string) => {
      log.info({ ...logFields, output }, 'a bound command printed output')
      return true
    }
    const bounds = { time: limitMs, output: mostOutput, signal: closing.signal }
    const end = await options.run({ ...task, args }, bounds, logOutput).catch((err: unknown) => ({ err }))
    if ('code' in end && end.code === 0 && !end.stopped) return true
    log.error({ ...logFields, ...end }, 'a bound command failed')
    return false
  }

  /** @param recheck called before each command and after the last */
  async function fire(
    trigger: `before_${HookEvent}` | `after_${HookEvent}`,
    about: Omit<HookContext, 'recheck'>,
    recheck: Recheck,
  ): Promise<boolean> {
    const lines = linesOf(trigger)
    for (const line of lines) {
      const values = valuesOf(trigger, about)
      const [, background] = /^(.*[^\s&])\s*&$/.exec(line) ?? []
      if (background)
        void runLine(background, values, { limitMs: backgroundTimeoutMs, recheck }).catch(failed)
      else if (!(await runLine(line, values, { limitMs: timeoutMs, recheck }))) return false
    }
    if (lines.length > 0) recheck()
    return true
  }

  const failed = (err: unknown) => log.error({ err }, 'a bound command failed')

  /** Whether commands are bound before or after an event. */
  const hasCommands = (event: HookEvent) =>
    linesOf(`before_${event}`).length + linesOf(`after_${event}`).length > 0

  function refuseNonUtf8(event: HookEvent, about: Omit<HookContext, 'recheck'>): void {
    if (hasCommands(event) && hasNonUtf8Path(about)) throw new Problem('hook.name', { event })
  }

  return {
    refuseNonUtf8,

    async before(event, about) {
      refuseNonUtf8(event, about)
      if (!(await fire(`before_${event}`, about, about.recheck))) throw new Problem('hook.before', { event })
    },

    async after(event, about) {
      // The user was permitted to do the operation, so its commands run even if the user has lost access since.
      if (!(await fire(`after_${event}`, about, unconditional))) throw new Problem('hook.after', { event })
    },

    close: () => closing.abort(),
  }
}

/** The hooks of an instance. */
export interface BoundCommands extends Hooks {
  /** Ends the running commands. */
  close(): void
}

/** The words of the command for a line, or the reason why it cannot run. */
function wordsOf(
  line: string,
  values: Values,
  given: { shell: readonly string[]; splitWords: typeof splitWords },
): ExpandResult {
  // `before` has refused such names already, unless an administrator bound this line later.
  const paths = [values.FILE, values.DESTINATION]
  if (paths.some((path = '') => hasEscapedBytes(path))) return { refused: 'a name is not UTF-8' }
  if (given.shell.length > 0) {
    // No value is inserted into the administrator's line. But the shell itself would split an unquoted value.
    const refused = shellFault(line)
    return refused === undefined ? { words: [...given.shell, line] } : { refused }
  }
  return expandWords(given.splitWords(line) ?? [], values)
}

/** Programs receive paths as text. The text of a name that is not UTF-8 may be the real name of another file. */
function hasNonUtf8Path({ file, destination: to, jail }: Omit<HookContext, 'recheck'>): boolean {
  return hasEscapedBytes(file) || hasEscapedBytes(to ?? jail.root)
}

function valuesOf(
  trigger: string,
  { person, jail, file, destination: to }: Omit<HookContext, 'recheck'>,
): Record<string, string> {
  const { scope, username } = person.user
  return { FILE: file, DESTINATION: to ?? jail.root, SCOPE: scope, TRIGGER: trigger, USERNAME: username }
}
