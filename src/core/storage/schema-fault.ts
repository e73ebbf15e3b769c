import type { Validator } from 'typebox/compile'
import { Problem } from '#src/core/problem.ts'

/**
 * Returns the problem of a value that does not match its schema.
 *
 * @param whole names the value itself, for an error that belongs to no field
 */
export function schemaProblem(validator: Validator, value: unknown, whole: string): Problem {
  const [first] = validator.Errors(value)
  const field = first?.instancePath.slice(1).replaceAll('/', '.') || whole
  // The schema of a key that an object must not have is `false`.
  const reason = first?.keyword === 'boolean' ? 'is unknown' : (first?.message ?? 'is invalid')
  return new Problem('request.invalid', { field, reason })
}
