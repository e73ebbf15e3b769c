import { constants } from 'node:fs'
import { access, realpath, stat } from 'node:fs/promises'
import { delimiter, isAbsolute, join } from 'node:path'
import { isSecret } from '#src/files/paths/reach.ts'
import { trueName } from '#src/files/paths/true-name.ts'
import { isWithin } from '#src/files/paths/user-path.ts'

/** Where programs are looked for. */
export interface ProgramPlaces {
  /** Folders as in the variable PATH. */
  path: string
  /** Real path of the served folder: what lies in it was put there by people and is no program. */
  served: string
  /** Folders in which a program must really lie; undefined: anywhere. */
  within?: readonly string[] | undefined
}

const endings = process.platform === 'win32' ? ['.exe', '.com', ''] : ['']

/**
 * Finds the program called `name` in the folders of PATH and answers its absolute path; undefined when there is none. A
 * relative folder would mean the one in which a command runs, so it is passed over, and so is all that is served.
 */
export async function findProgram(name: string, places: ProgramPlaces): Promise<string | undefined> {
  if (!/^[^/\\\0]+$/.test(name)) return undefined
  const folders = places.path.split(delimiter).filter(isAbsolute)
  for (const file of folders.flatMap((folder) => endings.map((ending) => join(folder, name + ending)))) {
    if (await isProgram(file, places)) return file
  }
  return undefined
}

/** As `findProgram`, where an administrator may also have written an absolute path. */
export async function findChosenProgram(name: string, places: ProgramPlaces): Promise<string | undefined> {
  if (!isAbsolute(name)) return findProgram(name, places)
  return (await isProgram(name, places)) ? name : undefined
}

async function isProgram(file: string, { served, within }: ProgramPlaces): Promise<boolean> {
  try {
    const place = await trueName(await realpath(file))
    if (!place) return false
    const { real, folds } = place
    // Whoever serves the whole disk has let people write over programs anyway.
    if (served !== '/' && isSecret({ secret: [served] }, real, folds)) return false
    if (within && !within.some((folder) => isWithin(real, folder))) return false
    await access(real, constants.X_OK)
    return (await stat(real)).isFile()
  } catch {
    return false // whatever keeps it from being looked at keeps it from being run
  }
}
