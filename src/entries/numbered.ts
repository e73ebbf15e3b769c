import { authorize, type Verb } from '#src/access/authorize.ts'
import type { Principal } from '#src/access/principal.ts'
import type { UserPath } from '#src/files/paths/user-path.ts'
import { removeNewFolders } from '#src/files/writing/make.ts'
import type { FreeNames } from './free-names.ts'
import type { createWriter, Upload } from './write.ts'

/** Creates the function that writes new files under free names. */
export function createNumberedUpload(freeNames: FreeNames, write: ReturnType<typeof createWriter>) {
  /**
   * Creates a file. If its name is taken, it gets the first free `name(1).ext`. Nothing is replaced.
   *
   * @returns its path and etag
   * @throws Problem `auth.forbidden`, and as `upload`; `path.exists` when another program takes the name meanwhile.
   */
  return async (
    actor: Principal,
    path: UserPath,
    upload: Upload,
  ): Promise<{ path: UserPath; etag: string }> => {
    authorize(actor, 'create')
    const made: UserPath[] = []
    try {
      using own = await freeNames.reserve(actor, path, made)
      const writing = { ...upload, event: 'upload', overwrite: false, verbFor, made } as const
      const { etag } = await write(actor, own.path, writing)
      return { path: own.path, etag }
    } catch (error) {
      await removeNewFolders(await actor.jail(), made)
      throw error
    }
  }
}

const verbFor = (): Verb => 'create'
