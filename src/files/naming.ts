import { Problem } from '#src/core/problem.ts'
import type { UserPath } from './user-path.ts'

/**
 * For `.catch`: makes a refusal name `path`, which its person wrote, and not the place where a link led or what was found
 * on the disk. Lets everything else through.
 */
export function named(path: UserPath): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof Problem) || error.details.path === undefined) throw error
    throw new Problem(error.code, { ...error.details, path }, { cause: error })
  }
}
