import type { Readable } from 'node:stream'
import type { Static, TSchema } from 'typebox'
import { entryOf } from '#src/core/lookup.ts'
import { Problem } from '#src/core/problem.ts'
import { schemaProblem } from '#src/core/storage/schema-fault.ts'
import { validatorOf } from '#src/core/storage/validator.ts'

/** What a running operation gets besides its input. */
export interface OperationContext {
  /** The bytes that the caller sends, such as a backup. Empty for most operations. */
  body: Readable
  /** Aborts when the caller has gone. */
  signal: AbortSignal
}

/**
 * Something that the operator of the machine can do with a state, from the command line. It runs in the server, or in
 * the process of the command while no server runs.
 */
export interface Operation<Input, Output> {
  readonly input: TSchema
  /** Returns a value for JSON, or a stream of bytes. */
  run(input: Input, context: OperationContext): Promise<Output>
}

/** All operations by name. */
// biome-ignore lint/suspicious/noExplicitAny: the inputs and outputs differ, and `run` takes them contravariantly
export type Operations = Readonly<Record<string, Operation<any, any>>>

/** The input and the output of an operation. */
export type InputOf<O> = O extends Operation<infer Input, unknown> ? Input : never
export type OutputOf<O> = O extends Operation<never, infer Output> ? Output : never

/** Declares an operation whose input has the given schema. */
export function operation<Schema extends TSchema, Output>(
  input: Schema,
  run: (input: Static<Schema>, context: OperationContext) => Promise<Output>,
): Operation<Static<Schema>, Output> {
  return { input, run }
}

/**
 * Validates the input of an operation and runs it.
 *
 * @throws Problem `request.invalid` for an invalid input, `request.unknown` for an unknown operation, and the problems of
 *   the operation.
 */
export async function runOperation(
  operations: Operations,
  name: string,
  given: { input: unknown } & OperationContext,
): Promise<unknown> {
  const found = entryOf(operations, name)
  if (!found) throw new Problem('request.unknown')
  const validator = validatorOf(found.input)
  if (!validator.Check(given.input)) throw schemaProblem(validator, given.input, 'input')
  return found.run(given.input, { body: given.body, signal: given.signal })
}
