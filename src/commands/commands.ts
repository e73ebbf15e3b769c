import type { Actor } from '#src/auth/actor.ts'
import { findChosenProgram } from '#src/commands/sandbox/find-program.ts'
import type { Config } from '#src/config/config.ts'
import { createSemaphore } from '#src/core/concurrency/semaphore.ts'
import { errnoOf } from '#src/core/errno.ts'
import { entryOf } from '#src/core/lookup.ts'
import { Problem } from '#src/core/problem.ts'
import type { Store } from '#src/core/state/store.ts'
import { openPath } from '#src/files/jail/jail.ts'
import type { Jail, OpenPath } from '#src/files/paths/scope.ts'
import type { TypedPath } from '#src/files/paths/user-path.ts'
import { showTree } from '#src/files/tree-walk/shown-tree.ts'
import { type Plan, planOf, refusal } from './commands.policy.ts'
import { cleanEnvironment } from './sandbox/environment.ts'
import type { LineHandler } from './sandbox/read-lines.ts'
import { type Ending, run, type Task } from './sandbox/run.ts'
import type { Sandbox } from './sandbox/sandbox.ts'
import { splitWords } from './split-words.ts'

/** How much of the machine one person's commands may take. */
export interface CommandLimits {
  /** Commands at once, for a person and for all together. */
  each: number
  all: number
  /** Milliseconds that a command may take. */
  time: number
  /** As in `Bounds`. */
  output: number
  /** Milliseconds until an open socket has named its command. */
  idle: number
}

const usual: CommandLimits = {
  each: 4,
  all: 32,
  time: 10 * 60_000,
  output: 8 * 1024 * 1024,
  idle: 30_000,
}

/** How a command came to its end: a sentence why it was not run, or how the program ended. */
export type Outcome = { refused: string } | Ending

/**
 * Commands that people run in their folders (contract/README.md#commands, contract/compatibility.md#shell).
 *
 * @param options.sandbox where they run; undefined: nowhere, or with all rights of the server where the configuration asks
 *   for that
 */
export function createCommands(options: {
  store: Store
  sandbox: Sandbox | undefined
  config: Pick<Config, 'root' | 'enableExec' | 'execWithoutSandbox' | 'commandsPerUser'>
}) {
  const { store, sandbox, config } = options
  const { root: served, enableExec, execWithoutSandbox } = config
  const isOn = enableExec && (sandbox !== undefined || execWithoutSandbox)
  const limits = { ...usual, each: config.commandsPerUser }
  const env = cleanEnvironment()
  const running = createSemaphore('commands', limits)

  async function start(
    plan: Plan,
    { actor, jail, folder }: Place,
    then: { signal: AbortSignal; hear: LineHandler },
  ) {
    const { program: name, args } = plan
    const places = { path: env.PATH ?? '', served, within: sandbox?.programs }
    const program = await findChosenProgram(name, places)
    if (!program) return { refused: `${name}: command not found` }
    const plain = { program, name, args, folder: folder.address, env }
    const task = sandbox ? await enter(sandbox, plain, { actor, jail, folder }) : plain
    if ('refused' in task) return task
    const { time, output } = limits
    // Once the call is made the program runs where it was told to; the folder need not be held any longer.
    const ending = run(task, { time, output, signal: then.signal }, then.hear)
    await folder.close()
    return ending.catch((error: unknown) => ({ refused: `${name}: ${whyNot(error)}` }))
  }

  const permit = ({ user }: Actor): void => {
    const code = refusal(user, isOn)
    if (code) throw new Problem(code)
  }

  return {
    isOn,
    limits,

    /** Makes sure that somebody may run commands at all, now. @throws Problem `auth.required`, `auth.forbidden`. */
    permit,

    /** A permit to run one command, until it is disposed of. @throws Problem `user.busy`, `server.busy`. */
    enter: ({ user }: Actor): Disposable => running.acquireNow(`user ${user.id}`),

    /**
     * Runs a command line in a folder and tells what it prints. Refusals are answered, as clients show them.
     *
     * @throws Problem as `permit`, and as `openPath` for the folder.
     */
    async run(
      actor: Actor,
      { path }: TypedPath,
      { text, ...then }: { text: string; signal: AbortSignal; hear: LineHandler },
    ): Promise<Outcome> {
      permit(actor)
      const { commands } = actor.user
      const { shell } = store.data.settings
      const words = splitWords(text)
      const plan = words && planOf(words, text.trim(), { commands, shell })
      if (!plan) return { refused: 'Command not allowed.' }
      const jail = await actor.jail()
      await using folder = await openPath(jail, path)
      if (!folder.stats.isDirectory()) throw new Problem('path.file', { path })
      // Awaited, so that the folder is not let go before the program is in it.
      return await start(plan, { actor, jail, folder }, then)
    },
  }
}

/** Who runs a command, and where. */
interface Place {
  actor: Actor
  jail: Jail
  folder: OpenPath
}

async function enter(sandbox: Sandbox, task: Task, { actor, jail, folder }: Place) {
  const { rules, user } = actor
  const shown = await showTree({ jail, rules, hideDotfiles: user.hideDotfiles, closed: sandbox.closed })
  if ('refused' in shown) return shown
  // A program that may write may also make and delete, so it takes all three rights.
  const { create, modify, delete: remove } = user.perm
  return sandbox.enter(task, { shown, isWritable: create && modify && remove, folder: folder.real })
}

export type Commands = ReturnType<typeof createCommands>

/** What the system says to a program that does not start, without the address of the program on this host. */
function whyNot(error: unknown): string {
  const reasons: Record<string, string> = {
    EACCES: 'permission denied',
    E2BIG: 'too many arguments',
    ENOENT: 'no such program or folder',
    ENOEXEC: 'not a program',
  }
  const code = errnoOf(error) ?? ''
  return entryOf(reasons, code) ?? `cannot be started (${code || 'unknown reason'})`
}
