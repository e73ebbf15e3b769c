import { mkdir, rm } from 'node:fs/promises'
import path from 'node:path'
import { writeImage } from './archive.ts'
import { type DebianPackage, type debianArch, debianPackages, libraries } from './debian.ts'
import { writeBase, writeLibraries, writeProgram } from './root-files.ts'

/** The input of `buildImage`. */
export interface ImageOptions {
  readonly version: string
  readonly arch: keyof typeof debianArch
  /** The executable for Linux on this architecture. */
  readonly executable: string
  readonly licences: string
  /** The folder for intermediate files. It is deleted first. */
  readonly work: string
  readonly output: string
  /** The level of compression, from 1 to 9. */
  readonly level: number
  /** Whether packages of an earlier build are used without asking for newer versions. */
  readonly isCacheEnough: boolean
}

/**
 * Builds an image without a container engine: the libraries, then the executable, so that a new version of Coffer
 * replaces only the last layer.
 *
 * @returns the packages of Debian in it
 */
export async function buildImage(options: ImageOptions): Promise<DebianPackage[]> {
  const { arch, executable, licences, work, isCacheEnough } = options
  await rm(work, { recursive: true, force: true })
  const folders = ['libraries', 'program'].map((name) => path.join(work, name))
  const [below = '', above = ''] = folders
  for (const folder of folders) await mkdir(folder, { recursive: true })
  const packages = await debianPackages(libraries, arch, { isCacheEnough })
  await writeLibraries(packages, below)
  await writeBase(below)
  await writeProgram(executable, licences, above)
  await writeImage({ ...options, folders })
  return packages
}
