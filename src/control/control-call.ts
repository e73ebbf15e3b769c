import type { Readable } from 'node:stream'
import type { Static, TSchema } from 'typebox'
import { entryOf } from '#src/core/lookup.ts'
import { Problem } from '#src/core/problem.ts'
import { schemaProblem } from '#src/core/storage/schema-fault.ts'
import { validatorOf } from '#src/core/storage/validator.ts'

/** What a running control call gets besides its input. */
export interface ControlCallContext {
  /** The bytes that the caller sends, such as a backup. Empty for most control calls. */
  body: Readable
  /** Aborts when the caller has gone. */
  signal: AbortSignal
}

/**
 * Something that the operator of the machine can do with a state, from the command line. It runs in the server, or in
 * the process of the command while no server runs.
 */
export interface ControlCall<Input, Output> {
  readonly input: TSchema
  /** Returns a value for JSON, or a stream of bytes. */
  run(input: Input, context: ControlCallContext): Promise<Output>
}

/** All control calls by name. */
// biome-ignore lint/suspicious/noExplicitAny: the inputs and outputs differ, and `run` takes them contravariantly
export type ControlCalls = Readonly<Record<string, ControlCall<any, any>>>

/** The input and the output of a control call. */
export type InputOf<O> = O extends ControlCall<infer Input, unknown> ? Input : never
export type OutputOf<O> = O extends ControlCall<never, infer Output> ? Output : never

/** Declares a control call whose input has the given schema. */
export function controlCall<Schema extends TSchema, Output>(
  input: Schema,
  run: (input: Static<Schema>, context: ControlCallContext) => Promise<Output>,
): ControlCall<Static<Schema>, Output> {
  return { input, run }
}

/**
 * Validates the input of a control call and runs it.
 *
 * @throws Problem `request.invalid` for an invalid input, `request.unknown` for an unknown control call, and the problems of
 *   the control call.
 */
export async function runControlCall(
  calls: ControlCalls,
  name: string,
  given: { input: unknown } & ControlCallContext,
): Promise<unknown> {
  const found = entryOf(calls, name)
  if (!found) throw new Problem('request.unknown')
  const validator = validatorOf(found.input)
  if (!validator.Check(given.input)) throw schemaProblem(validator, given.input, 'input')
  return found.run(given.input, { body: given.body, signal: given.signal })
}
