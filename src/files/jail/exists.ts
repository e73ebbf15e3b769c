import { Problem } from '#src/core/problem.ts'
import type { Jail } from '#src/files/paths/scope.ts'
import type { UserPath } from '#src/files/paths/user-path.ts'
import { openPath } from './jail.ts'

/** Whether `path` exists. @throws Problem as `openPath` does, except `path.unknown`. */
export async function exists(jail: Jail, path: UserPath): Promise<boolean> {
  try {
    const there = await openPath(jail, path)
    await there.close()
    return true
  } catch (error) {
    if (error instanceof Problem && error.code === 'path.unknown') return false
    throw error
  }
}
