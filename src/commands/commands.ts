import type { Actor } from '#src/access/principal.ts'
import type { Config } from '#src/config/config.ts'
import { createSemaphore } from '#src/core/concurrency/semaphore.ts'
import { entryOf } from '#src/core/lookup.ts'
import { errnoOf, Problem } from '#src/core/problem.ts'
import { openPath } from '#src/files/jail/jail.ts'
import type { KeptStores } from '#src/files/kept/kept-stores.ts'
import type { Jail, OpenPath } from '#src/files/paths/scope.ts'
import type { NormalizedPath } from '#src/files/paths/user-path.ts'
import { listShownTree } from '#src/files/tree-walk/shown-tree.ts'
import { cleanEnvironment } from '#src/sandbox/environment.ts'
import { findProgramByNameOrPath } from '#src/sandbox/find-program.ts'
import type { LineHandler } from '#src/sandbox/read-lines.ts'
import { type ProgramResult, run, type Task } from '#src/sandbox/run.ts'
import type { Sandbox } from '#src/sandbox/sandbox.ts'
import type { Store } from '#src/state/store.ts'
import { type Plan, planOf, refusal } from './commands.policy.ts'
import { splitWords } from './split-words.ts'

/** Limits of the commands of one user. */
export interface CommandLimits {
  /** Commands that may run at once: for one user, and for all users together. */
  each: number
  all: number
  /** Milliseconds that a command may run. */
  time: number
  /** As in `Bounds`. */
  output: number
  /** Milliseconds until the client must have sent the command on an open socket. */
  idle: number
  /** Milliseconds between two pings. A client that does not respond to a ping before the next one is disconnected. */
  ping: number
}

const defaultLimits: CommandLimits = {
  each: 4,
  all: 32,
  time: 10 * 60_000,
  output: 8 * 1024 * 1024,
  idle: 30_000,
  ping: 30_000,
}

/** The result of a command: a sentence that says why it was not run, or how the program ended. */
export type CommandResult = { refused: string } | ProgramResult

/**
 * Commands that users run in their folders (contract/README.md#commands, contract/compatibility.md#shell).
 *
 * @param options.sandbox the sandbox that commands run in. If undefined, no commands run, unless the configuration
 *   allows them to run without a sandbox, with all rights of the server.
 */
export function createCommands(options: {
  store: Pick<Store, 'settings'>
  sandbox: Sandbox | undefined
  config: Pick<Config, 'root' | 'enableExec' | 'execWithoutSandbox' | 'commandsPerUser'>
  stores: Pick<KeptStores, 'foldersIn'>
}) {
  const { store, sandbox, config, stores: keptStores } = options
  const { root: served, enableExec, execWithoutSandbox } = config
  const isOn = enableExec && (sandbox !== undefined || execWithoutSandbox)
  const limits = { ...defaultLimits, each: config.commandsPerUser }
  const env = cleanEnvironment()
  const running = createSemaphore('commands', limits)

  async function start(
    plan: Plan,
    { actor, jail, folder }: Context,
    io: { signal: AbortSignal; onLine: LineHandler },
  ) {
    const { program: name, args } = plan
    const places = { path: env.PATH ?? '', served, within: sandbox?.programs }
    const program = await findProgramByNameOrPath(name, places)
    if (!program) return { refused: `${name}: command not found` }
    const plain = { program, name, args, folder: folder.address, env }
    const task = sandbox
      ? await enterSandbox({ sandbox, stores: keptStores }, plain, { actor, jail, folder })
      : plain
    if ('refused' in task) return task
    const { time, output } = limits
    // The spawned program is already in its folder, so the descriptor of the folder can be closed.
    const ending = run(task, { time, output, signal: io.signal }, io.onLine)
    await folder.close()
    return ending.catch((error: unknown) => ({ refused: `${name}: ${startFailure(error)}` }))
  }

  const authorize = ({ user }: Actor): void => {
    const code = refusal(user, isOn)
    if (code) throw new Problem(code)
  }

  return {
    isOn,
    limits,

    /** Checks that the user may run commands now. @throws Problem `auth.required`, `auth.forbidden`. */
    permit: authorize,

    /**
     * Takes a permit of the semaphore to run one command, until it is disposed. @throws Problem `user.busy`,
     * `server.busy`.
     */
    acquirePermit: ({ user }: Actor): Disposable => running.acquireNow(`user ${user.id}`),

    /**
     * Runs a command line in a folder and passes each line of output to `onLine`. Refusals are returned, because
     * clients show them as text.
     *
     * @throws Problem as `permit`, and as `openPath` for the folder.
     */
    async run(
      actor: Actor,
      { path }: NormalizedPath,
      { text, ...io }: { text: string; signal: AbortSignal; onLine: LineHandler },
    ): Promise<CommandResult> {
      authorize(actor)
      const { commands } = actor.user
      const { shell } = await store.settings.get()
      const words = splitWords(text)
      const plan = words && planOf(words, text.trim(), { commands, shell })
      if (!plan) return { refused: 'Command not allowed.' }
      const jail = await actor.jail()
      await using folder = await openPath(jail, path)
      if (!folder.stats.isDirectory()) throw new Problem('path.file', { path })
      // `await` keeps the folder open until the program has started in it.
      return await start(plan, { actor, jail, folder }, io)
    },
  }
}

/** The user who runs a command, and the folder. */
interface Context {
  actor: Actor
  jail: Jail
  folder: OpenPath
}

async function enterSandbox(
  { sandbox, stores }: { sandbox: Sandbox; stores: Pick<KeptStores, 'foldersIn'> },
  task: Task,
  { actor, jail, folder }: Context,
) {
  const { rules, user } = actor
  const shown = await listShownTree({ jail, rules, hideDotfiles: user.hideDotfiles, closed: sandbox.closed })
  if ('refused' in shown) return shown
  // A program that may write may also create and delete files, so it needs all three permissions.
  const { create, modify, delete: remove } = user.perm
  const masks = await stores.foldersIn(jail.root)
  return sandbox.wrapTask(task, {
    shown,
    isWritable: create && modify && remove,
    folder: folder.real,
    masks,
  })
}

export type Commands = ReturnType<typeof createCommands>

/** Describes why the program did not start, without the path of the program on this host. */
function startFailure(error: unknown): string {
  const reasons: Record<string, string> = {
    EACCES: 'permission denied',
    E2BIG: 'too many arguments',
    ENOENT: 'no such program or folder',
    ENOEXEC: 'not a program',
  }
  const code = errnoOf(error) ?? ''
  return entryOf(reasons, code) ?? `cannot be started (${code || 'unknown reason'})`
}
