import type { Person } from '#src/auth/actor.ts'
import { findChosenProgram } from '#src/commands/sandbox/find-program.ts'
import type { run } from '#src/commands/sandbox/run.ts'
import type { splitWords } from '#src/commands/split-words.ts'
import { createSemaphore } from '#src/core/concurrency/semaphore.ts'
import type { Logger } from '#src/core/log.ts'
import { entryOf } from '#src/core/lookup.ts'
import { Problem } from '#src/core/problem.ts'
import { type Recheck, unconditional } from '#src/core/recheck.ts'
import type { Store } from '#src/core/state/store.ts'
import { shellFault } from '#src/core/text/shell-quotes.ts'
import { hasSpelledBytes } from '#src/files/paths/byte-names.ts'
import type { Jail } from '#src/files/paths/scope.ts'
import { type Expanded, expandWords } from './expand.ts'

/** What commands can be bound to. */
export type HookEvent = 'upload' | 'save' | 'copy' | 'rename' | 'delete'

/** What a deed is about. Paths are real ones. */
export interface About {
  person: Person
  jail: Jail
  file: string
  /** Undefined: the deed has none, and commands are told the scope (contract/compatibility.md#bound-commands). */
  to?: string
  /** Checks that the person may still do it, whenever that had to wait for a command. */
  recheck: Recheck
}

/** What a command finds in its environment. */
type Values = Readonly<Record<string, string>>

// Milliseconds that a command may take which a person waits for, and one that nobody waits for.
const patience = 5 * 60_000
const patienceBehind = 6 * 60 * 60_000
const mostOutput = 256 * 1024
// Commands that run at once, and commands that wait.
const queue = { all: 8, waitingAll: 1000 }

/**
 * Runs the command lines that administrators bound to deeds (contract/compatibility.md#bound-commands). Where the instance has a shell, each line is its
 * last argument, as it is written: the shell reads `$FILE` and the like from its environment. Without a shell, names of files
 * reach programs as arguments and in the environment. Without a shell a name is never read as a part of a command. With one, a
 * line must have such variables in double quotes, or it is not run; a line that makes code of a value on purpose (`eval`) is the
 * administrator's own doing.
 *
 * @param options.isOn whether the instance was started with `--enable-exec`; nothing runs otherwise
 * @param options.served real path of the served folder: no program comes from there
 * @param options.env what programs find in their environment, besides what they are told of the deed
 */
export function createHooks(options: {
  store: Store
  isOn: boolean
  served: string
  env: Readonly<Record<string, string>>
  run: typeof run
  splitWords: typeof splitWords
  log: Logger
}) {
  const { store, isOn, served, env, log } = options
  const running = createSemaphore('commands', queue)
  const closing = new AbortController()
  const linesOf = (trigger: string) => (isOn ? (entryOf(store.data.settings.commands, trigger) ?? []) : [])

  /** Runs one line when a permit is free. Answers whether it went well; false also when too many wait. @throws as `recheck`. */
  async function runLine(
    line: string,
    values: Values,
    { time, recheck }: { time: number; recheck: Recheck },
  ) {
    if (running.waiting >= queue.waitingAll) return false
    using _permit = await running.acquire('all', { recheck })
    const { shell } = store.data.settings
    const expanded = wordsOf(line, values, { shell, splitWords: options.splitWords })
    const told = { trigger: values.TRIGGER, user: values.USERNAME, line }
    if ('refused' in expanded) {
      log.error({ ...told, reason: expanded.refused }, 'a bound command was not run')
      return false
    }
    const [name = '', ...args] = expanded.words
    const program = await findChosenProgram(name, { path: env.PATH ?? '', served })
    if (!program) {
      log.error(told, 'a bound command has no program that may be run')
      return false
    }
    // Not the folder of the file: programs believe what lies beside them.
    const task = { program, name, folder: '/', env: { ...env, ...values } }
    const hear = (output: string) => {
      log.info({ ...told, output }, 'a bound command says')
      return true
    }
    const bounds = { time, output: mostOutput, signal: closing.signal }
    const end = await options.run({ ...task, args }, bounds, hear).catch((err: unknown) => ({ err }))
    if ('code' in end && end.code === 0 && !end.stopped) return true
    log.error({ ...told, ...end }, 'a bound command failed')
    return false
  }

  /** @param recheck called before each command and after the last */
  async function fire(
    trigger: `before_${HookEvent}` | `after_${HookEvent}`,
    about: Omit<About, 'recheck'>,
    recheck: Recheck,
  ): Promise<boolean> {
    const lines = linesOf(trigger)
    for (const line of lines) {
      const values = valuesOf(trigger, about)
      const [, background] = /^(.*[^\s&])\s*&$/.exec(line) ?? []
      if (background) void runLine(background, values, { time: patienceBehind, recheck }).catch(failed)
      else if (!(await runLine(line, values, { time: patience, recheck }))) return false
    }
    if (lines.length > 0) recheck()
    return true
  }

  const failed = (err: unknown) => log.error({ err }, 'a bound command failed')

  /** Whether commands are bound to an event, before or after it. */
  const isBound = (deed: HookEvent) => linesOf(`before_${deed}`).length + linesOf(`after_${deed}`).length > 0

  /** @throws Problem `hook.name` when commands are bound to the event and one of its paths is not UTF-8. */
  function refuseNonUtf8(deed: HookEvent, about: Omit<About, 'recheck'>): void {
    if (isBound(deed) && hasNonUtf8Path(about)) throw new Problem('hook.name', { deed })
  }

  return {
    isBound,

    /** Repeats the check of `before` at the end of a long operation, such as an upload in pieces. */
    refuseNonUtf8,

    /**
     * Runs the commands that are bound before an event. Refuses names that the commands bound before or after it cannot receive.
     * When it throws, the operation must not be done.
     *
     * @throws Problem `hook.before` when a command fails, `hook.name`, and what `about.recheck` throws.
     */
    async before(deed: HookEvent, about: About): Promise<void> {
      refuseNonUtf8(deed, about)
      if (!(await fire(`before_${deed}`, about, about.recheck))) throw new Problem('hook.before', { deed })
    },

    /** What is bound after a deed. @throws Problem `hook.after` when it fails; the deed is done. */
    async after(deed: HookEvent, about: Omit<About, 'recheck'>): Promise<void> {
      // It was done by somebody who might do it: what is bound to it follows whatever has become of them.
      if (!(await fire(`after_${deed}`, about, unconditional))) throw new Problem('hook.after', { deed })
    },

    /** Ends what still runs. */
    close: () => closing.abort(),
  }
}

export type Hooks = ReturnType<typeof createHooks>

/** The words that run a line, or why it cannot be run. */
function wordsOf(
  line: string,
  values: Values,
  given: { shell: readonly string[]; splitWords: typeof splitWords },
): Expanded {
  // `before` has refused such names already, unless an administrator bound this line after that.
  const paths = [values.FILE, values.DESTINATION]
  if (paths.some((path = '') => hasSpelledBytes(path))) return { refused: 'a name is not UTF-8' }
  if (given.shell.length > 0) {
    // The line is the administrator's own, and no value is put into it. Unquoted, the shell itself would do that.
    const refused = shellFault(line)
    return refused === undefined ? { words: [...given.shell, line] } : { refused }
  }
  return expandWords(given.splitWords(line) ?? [], values)
}

/** A program is given paths as text. The text of a name that is not UTF-8 may be the real name of another file. */
function hasNonUtf8Path({ file, to, jail }: Omit<About, 'recheck'>): boolean {
  return hasSpelledBytes(file) || hasSpelledBytes(to ?? jail.root)
}

function valuesOf(
  trigger: string,
  { person, jail, file, to }: Omit<About, 'recheck'>,
): Record<string, string> {
  const { scope, username } = person.user
  return { FILE: file, DESTINATION: to ?? jail.root, SCOPE: scope, TRIGGER: trigger, USERNAME: username }
}
