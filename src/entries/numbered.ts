import { authorize, recheckOf, type Verb } from '#src/access/authorize.ts'
import type { Principal } from '#src/access/principal.ts'
import { type Located, locateIn } from '#src/files/jail/locate.ts'
import { nameOf, type UserPath } from '#src/files/paths/user-path.ts'
import { makeParent, removeNewFolders } from '#src/files/writing/make.ts'
import { freeName } from './destination.ts'
import type { createWriter, Upload, WriterOptions } from './write.ts'

/** Creates the function that writes new files under free names. */
export function createNumberedUpload(
  { locks, modes }: Pick<WriterOptions, 'locks' | 'modes'>,
  write: ReturnType<typeof createWriter>,
) {
  // The keys of names that uploads have chosen and not yet used. Other uploads do not treat them as free.
  const reserved = new Set<string>()

  /** Reserves the name, or the first free `name(1).ext`, until the result is disposed. */
  async function reserve(actor: Principal, path: UserPath, made: UserPath[]) {
    const jail = await actor.jail()
    // Uploads into a folder that is missing meet in it.
    await using folder = await makeParent(jail, path, { mode: modes().dirMode, made })
    return await locks.run(`folder ${folder.real}`, recheckOf(actor, 'create', [path]), async () => {
      const isReserved = ({ key }: Located) => reserved.has(key)
      const candidate = await locateIn(jail, folder, nameOf(path))
      const isTaken = candidate.stats !== undefined || isReserved(candidate)
      const { path: free, key } = isTaken
        ? await freeName(jail, { candidate, from: candidate, isReserved })
        : { path, key: candidate.key }
      reserved.add(key)
      return { path: free, [Symbol.dispose]: () => void reserved.delete(key) }
    })
  }

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
      using own = await reserve(actor, path, made)
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
