import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { createGunzip } from 'node:zlib'
import { extract } from 'tar-fs'

const run = promisify(execFile)

/** The folder for downloaded packages. It can be deleted at any time, and is the reason that a second run is offline. */
const cache = path.resolve('node_modules/.cache/release')

/** A package in `package-lock.json`. */
export interface LockedPackage {
  readonly version: string
  /** The hash of its archive: `sha512-` and Base64. */
  readonly integrity: string
  readonly license?: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
}

/** Reads the packages of `package-lock.json` by their folders, such as `node_modules/fastify`. */
export async function lockedPackages(): Promise<ReadonlyMap<string, LockedPackage>> {
  const { packages } = JSON.parse(await readFile('package-lock.json', 'utf8'))
  return new Map(Object.entries(packages as Record<string, LockedPackage>))
}

/**
 * Returns the path of a file of an npm package that belongs to another platform, so that npm does not install it.
 * Downloads the package once, in the version of `package-lock.json`, and checks its hash at each call.
 *
 * @param file the path of the file in the package
 * @param target the folder in which the package is unpacked
 * @throws Error when the package cannot be downloaded, or is not the one of `package-lock.json`.
 */
export async function fileOfPackage(name: string, file: string, target: string): Promise<string> {
  const locked = (await lockedPackages()).get(`node_modules/${name}`)
  if (!locked) throw new Error(`package-lock.json has no package ${name}: add it to package.json.`)
  const archive = path.join(cache, `${name.replace('/', '+')}-${locked.version}.tgz`)
  if (!(await hasHash(archive, locked.integrity))) await download(`${name}@${locked.version}`, archive)
  if (!(await hasHash(archive, locked.integrity))) {
    await rm(archive)
    throw new Error(`The registry has another ${name}@${locked.version} than package-lock.json.`)
  }
  const folder = path.join(target, name.replace('/', '+'))
  await mkdir(folder, { recursive: true })
  const wanted = path.join(folder, file)
  const isUnwanted = (place: string) => place !== wanted
  const unpack = extract(folder, { strip: 1, chown: false, ignore: isUnwanted })
  await pipeline(createReadStream(archive), createGunzip(), unpack)
  await stat(wanted)
  return wanted
}

async function hasHash(file: string, integrity: string): Promise<boolean> {
  const hash = createHash('sha512')
  try {
    await pipeline(createReadStream(file), hash)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
  return `sha512-${hash.digest('base64')}` === integrity
}

/** Downloads the archive of a package with npm. Renames it at the end, so that the cache never has a part of one. */
async function download(specifier: string, archive: string): Promise<void> {
  await mkdir(cache, { recursive: true })
  const folder = await mkdtemp(path.join(cache, 'download-'))
  try {
    const words = ['pack', specifier, '--pack-destination', folder, '--silent', '--fetch-retries=1']
    await run('npm', words, { shell: process.platform === 'win32' }).catch((cause: unknown) => {
      throw new Error(`npm cannot download ${specifier}. The first release build needs the registry.`, {
        cause,
      })
    })
    const [file = ''] = await readdir(folder)
    await rename(path.join(folder, file), archive)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
