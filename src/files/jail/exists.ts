import { Problem } from '#src/core/problem.ts'
import type { UserPath } from '#src/files/paths/user-path.ts'
import { type Jail, openPath } from './jail.ts'

/** Whether there is something at `path`. @throws Problem as `openPath` does, but for `path.unknown`. */
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
