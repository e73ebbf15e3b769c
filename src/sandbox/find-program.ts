import { constants } from 'node:fs'
import { access, realpath, stat } from 'node:fs/promises'
import { delimiter, isAbsolute, join } from 'node:path'
import { isSecret } from '#src/files/paths/path-access.ts'
import { trueName } from '#src/files/paths/true-name.ts'
import { isWithin } from '#src/files/paths/user-path.ts'

/** Where programs are searched. */
export interface ProgramSearch {
  /** Folders as in the variable PATH. */
  path: string
  /** Real path of the served folder. Users write the files in it, so none of them is a program. */
  served: string
  /** Folders that must contain the program's real path; undefined: any folder. */
  within?: readonly string[] | undefined
}

const endings = process.platform === 'win32' ? ['.exe', '.com', ''] : ['']

/**
 * Finds the program called `name` in the folders of PATH. Returns its absolute path, or undefined if there is none.
 * Skips relative folders, because they would depend on the folder that a command runs in, and skips the served
 * folder.
 */
export async function findProgram(name: string, places: ProgramSearch): Promise<string | undefined> {
  if (!/^[^/\\\0]+$/.test(name)) return undefined
  const folders = places.path.split(delimiter).filter(isAbsolute)
  for (const file of folders.flatMap((folder) => endings.map((ending) => join(folder, name + ending)))) {
    if (await isProgram(file, places)) return file
  }
  return undefined
}

/** As `findProgram`, but also accepts an absolute path that an administrator wrote. */
export async function findProgramByNameOrPath(
  name: string,
  places: ProgramSearch,
): Promise<string | undefined> {
  if (!isAbsolute(name)) return findProgram(name, places)
  return (await isProgram(name, places)) ? name : undefined
}

async function isProgram(file: string, { served, within }: ProgramSearch): Promise<boolean> {
  try {
    const found = await trueName(await realpath(file))
    if (!found) return false
    const { real, folds } = found
    // If the whole disk is served, users can overwrite programs anyway.
    if (served !== '/' && isSecret({ secret: [served] }, real, folds)) return false
    if (within && !within.some((folder) => isWithin(real, folder))) return false
    await access(real, constants.X_OK)
    return (await stat(real)).isFile()
  } catch {
    return false // a file that cannot be inspected cannot be run either
  }
}
