import { Readable } from 'node:stream'
import { connectControl } from '#src/control/control-client.ts'
import { type InputOf, type OutputOf, runOperation } from '#src/control/operation.ts'
import { StartupProblem } from '#src/core/problem.ts'
import type { AllOperations } from '#src/start/control-calls.ts'
import { openOffline } from '#src/start/offline.ts'
import { findState } from '#src/start/state-folder.ts'
import { stateConfig } from './arguments.ts'
import type { Arguments, Terminal } from './subcommand.ts'

/** Runs one operation. Returns its result, or a stream of bytes. */
export type Call = <Name extends keyof AllOperations>(
  name: Name,
  input: InputOf<AllOperations[Name]>,
  body?: Readable,
) => Promise<OutputOf<AllOperations[Name]>>

/**
 * Calls `work` with a function that runs operations on the state of this command line: in the server, if one is running,
 * else in this process, which then holds the lock of the state.
 *
 * @throws StartupProblem when there is no state, or when it belongs to another user.
 */
export async function withState<T>(
  args: Arguments,
  { env }: Pick<Terminal, 'env'>,
  work: (call: Call) => Promise<T>,
): Promise<T> {
  const config = await stateConfig(args, env)
  const found = await findState(config)
  if (!found) {
    throw new StartupProblem(
      `There is no state file ${config.database}: set --root or --database as for coffer serve, or start it once.`,
    )
  }
  await using client = await connectControl(found.folder)
  // The names tie each input to its output, which the connection cannot express.
  if (client) return await work(((name, input, body) => client.call(name, input, body)) as Call)
  await using state = await openOffline(config, found)
  return await work((async (name: string, input: unknown, body = Readable.from([])) =>
    runOperation(state.operations, name, { input, body, signal: new AbortController().signal })) as Call)
}
