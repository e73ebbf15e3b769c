import type { Stats } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import type { Principal } from '#src/auth/actor.ts'
import { Problem } from '#src/core/problem.ts'
import { openParent, openPath } from '#src/files/jail/jail.ts'
import type { Jail } from '#src/files/paths/scope.ts'
import { nameOf, type UserPath } from '#src/files/paths/user-path.ts'
import type { Hooks } from '#src/hooks/hooks.ts'

/** The content of a file to write, and the condition for writing it. */
export interface Upload {
  fill(file: FileHandle): Promise<unknown>
  /** Throws if the current file, or its absence, does not match the condition of the request. */
  expects?: ((current: Stats | undefined) => void) | undefined
}

/** The file to write, its user, and the event. */
interface Written {
  event: 'upload' | 'save'
  person: Principal
  path: UserPath
}

/**
 * Writes a file and runs the commands bound to the event before and after it. The commands before it run after the
 * permission check and before the first byte is received.
 *
 * @throws Problem `hook.before`, `hook.after`, or the errors of `write`.
 */
export async function writeWithHooks(
  hooks: Hooks,
  { event: deed, person, path }: Written,
  upload: Upload,
  write: (upload: Upload) => Promise<string>,
): Promise<string> {
  if (!hooks.isBound(deed)) return write(upload)
  const jail = await person.jail()
  let file = ''
  const etag = await write({
    ...upload,
    async fill(part) {
      file = await realPathOf(jail, path)
      await hooks.before(deed, { person, jail, file, recheck: () => person.check([path]) })
      return upload.fill(part)
    },
  })
  await hooks.after(deed, { person, jail, file })
  return etag
}

/** The real path of a file that will be written. The folder above it exists. */
async function realPathOf(jail: Jail, path: UserPath): Promise<string> {
  try {
    await using file = await openPath(jail, path)
    return file.real
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'path.unknown') throw error
    await using folder = await openParent(jail, path)
    return join(folder.real, nameOf(path))
  }
}
