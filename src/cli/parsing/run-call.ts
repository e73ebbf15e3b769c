import { Readable } from 'node:stream'
import { type InputOf, type OutputOf, runControlCall } from '#src/control/control-call.ts'
import { connectControl } from '#src/control/control-client.ts'
import { StartupProblem } from '#src/core/problem.ts'
import type { AllControlCalls } from '#src/start/control-calls.ts'
import { openOffline } from '#src/start/offline.ts'
import { findState } from '#src/start/state-folder.ts'
import { stateConfig } from './arguments.ts'
import type { Arguments, Subcommand, Terminal } from './subcommand.ts'

/** Runs one control call. Returns its result, or a stream of bytes. */
export type Call = <Name extends keyof AllControlCalls>(
  name: Name,
  input: InputOf<AllControlCalls[Name]>,
  body?: Readable,
) => Promise<OutputOf<AllControlCalls[Name]>>

/**
 * Calls `work` with a function that runs control calls on the state of this command line: in the server, if one is running,
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
    runControlCall(state.calls, name, { input, body, signal: new AbortController().signal })) as Call)
}

/** The part of a subcommand that works on the state: `work` gets the function that runs control calls on it. */
export function onState(
  work: (call: Call, args: Arguments, terminal: Terminal) => Promise<void>,
): Pick<Subcommand, 'reads' | 'run'> {
  const run: Subcommand['run'] = (args, terminal) =>
    withState(args, terminal, (call) => work(call, args, terminal))
  return { reads: 'state', run }
}
