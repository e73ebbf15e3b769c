import type { Stats } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import type { Person } from '#src/auth/actor.ts'
import { Problem } from '#src/core/problem.ts'
import { openParent, openPath } from '#src/files/jail/jail.ts'
import type { Jail } from '#src/files/paths/scope.ts'
import { nameOf, type UserPath } from '#src/files/paths/user-path.ts'
import type { Hooks } from '#src/hooks/hooks.ts'

/** What a written file is to hold, and on what condition. */
export interface Upload {
  fill(file: FileHandle): Promise<unknown>
  /** Throws when the file that is there, or its absence, is not what the writer believes. */
  expects?: ((current: Stats | undefined) => void) | undefined
}

/** What is written, by whom and in the course of what. */
interface Written {
  deed: 'upload' | 'save'
  person: Person
  path: UserPath
}

/**
 * Writes a file between the commands that are bound to it. Those before it run when it is sure that the file may be
 * written there, before its first byte is taken.
 *
 * @throws Problem `hook.before`, `hook.after`, or what `write` throws.
 */
export async function writeWithHooks(
  hooks: Hooks,
  { deed, person, path }: Written,
  upload: Upload,
  write: (upload: Upload) => Promise<string>,
): Promise<string> {
  if (!hooks.isBound(deed)) return write(upload)
  const jail = await person.jail()
  let file = ''
  const etag = await write({
    ...upload,
    async fill(part) {
      file = await whereItGoes(jail, path)
      await hooks.before(deed, { person, jail, file, recheck: () => person.check([path]) })
      return upload.fill(part)
    },
  })
  await hooks.after(deed, { person, jail, file })
  return etag
}

/** The real path of a file that is about to be written; the folder above it is there. */
async function whereItGoes(jail: Jail, path: UserPath): Promise<string> {
  try {
    await using file = await openPath(jail, path)
    return file.real
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'path.unknown') throw error
    await using folder = await openParent(jail, path)
    return join(folder.real, nameOf(path))
  }
}
