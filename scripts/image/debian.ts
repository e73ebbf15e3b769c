import { execFile } from 'node:child_process'
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { sha256Of } from '../release/checksums.ts'

const run = promisify(execFile)

/** The shared libraries that the executable needs, including those of its native add-ons. */
export const libraries = ['libc6', 'libstdc++6', 'libgcc-s1', 'libatomic1'] as const

/** A package of Debian that was downloaded. */
export interface DebianPackage {
  readonly name: string
  readonly version: string
  readonly file: string
  readonly sha256: string
}

/** The names of Debian for the architectures. */
export const debianArch = { x64: 'amd64', arm64: 'arm64' } as const

/**
 * Downloads packages of Debian and those with their licences, for any architecture, without changing this system. `apt-get` checks their signatures.
 * It uses the sources of this system, and lists of its own. Without the network, returns what an earlier call has
 * downloaded.
 *
 * @param how.isCacheEnough whether an earlier download is used without asking for newer versions
 * @throws Error when packages cannot be downloaded and there are no earlier ones.
 */
export async function debianPackages(
  names: readonly string[],
  arch: keyof typeof debianArch,
  { isCacheEnough }: { isCacheEnough: boolean },
): Promise<DebianPackage[]> {
  const cache = path.resolve('node_modules/.cache/debian', arch)
  const cached = await findPackages(names, cache)
  if (cached && isCacheEnough) return cached
  const fresh = `${cache}.new`
  try {
    await download(names, debianArch[arch], fresh)
  } catch (error) {
    await rm(fresh, { recursive: true, force: true })
    if (!cached) throw new Error('apt-get cannot download packages of Debian.', { cause: error })
    console.log('apt-get cannot download packages: the image gets those of an earlier build.')
    return cached
  }
  await rm(cache, { recursive: true, force: true })
  await rename(fresh, cache)
  const found = await findPackages(names, cache)
  if (!found) throw new Error(`apt-get has not downloaded ${names.join(', ')}.`)
  return found
}

async function download(names: readonly string[], arch: string, folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true })
  const apt = path.join(folder, 'apt')
  await mkdir(path.join(apt, 'lists', 'partial'), { recursive: true })
  await mkdir(path.join(apt, 'cache', 'archives', 'partial'), { recursive: true })
  await writeFile(path.join(apt, 'status'), '')
  const options = {
    'Dir::State::lists': path.join(apt, 'lists'),
    'Dir::State::status': path.join(apt, 'status'),
    'Dir::Cache': path.join(apt, 'cache'),
    'APT::Architecture': arch,
    'APT::Architectures': arch,
    // The user of apt may not be able to write to this folder.
    'APT::Sandbox::User': 'root',
    'Acquire::Languages': 'none',
  }
  const words = Object.entries(options).flatMap(([name, value]) => ['-o', `${name}=${value}`])
  await run('apt-get', ['-qq', ...words, 'update'])
  const get = (wanted: readonly string[]) =>
    run('apt-get', ['-qq', ...words, 'download', ...wanted], { cwd: folder })
  await get(names)
  const bases = await Promise.all(((await findPackages(names, folder)) ?? []).map(licencePackageOf))
  await get([...new Set(bases.filter((name) => name !== undefined))])
  await rm(apt, { recursive: true })
}

/** The package that has the licence of a library of GCC. The other packages have their own. */
async function licencePackageOf(library: DebianPackage): Promise<string | undefined> {
  return /\bgcc-\d+-base\b/.exec(await controlOf(library))?.[0]
}

/** Returns all packages in a folder, sorted. Undefined: one of these names is missing. */
async function findPackages(names: readonly string[], folder: string): Promise<DebianPackage[] | undefined> {
  const files = (await readdir(folder).catch(() => [])).filter((file) => file.endsWith('.deb')).sort()
  const found: DebianPackage[] = []
  for (const file of files) {
    const [name = '', writtenVersion = ''] = file.split('_')
    const place = path.join(folder, file)
    // apt writes a colon in a version as %3a in the name of the file.
    const version = decodeURIComponent(writtenVersion)
    found.push({ name, version, file: place, sha256: await sha256Of(place) })
  }
  return names.every((name) => found.some((each) => each.name === name)) ? found : undefined
}

/** Unpacks the files of a package into a folder. */
export async function unpackPackage({ file }: DebianPackage, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  await run('dpkg-deb', ['-x', file, folder])
}

/** Returns the description of a package, as in the list of installed packages. */
export async function controlOf({ file }: DebianPackage): Promise<string> {
  const { stdout } = await run('dpkg-deb', ['--field', file])
  return stdout
}
