import type { TSchema } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'

const validators = new WeakMap<TSchema, Validator>()

/**
 * Returns the validator of a schema. It is compiled when it is used first: this takes up to 10 ms, and most runs of the
 * program need few schemas.
 */
export function validatorOf<S extends TSchema>(schema: S): Validator<Record<never, never>, S> {
  const validator = validators.get(schema) ?? Compile(schema)
  validators.set(schema, validator)
  return validator as unknown as Validator<Record<never, never>, S>
}
