import { globSync } from 'node:fs'
import { copyFile, cp, lstat, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { controlOf, type DebianPackage, unpackPackage } from './debian.ts'

/** The user that the program runs as, unless the environment names another one. */
export const imageUser = { uid: 1000, gid: 1000 } as const

/** The folders for volumes, which belong to the user. */
export const volumes = ['srv', 'config', 'database'] as const

/**
 * Writes the libraries into a folder: the shared libraries, the loader, their licences, and the list of packages that
 * scanners for vulnerabilities read.
 */
export async function writeLibraries(packages: readonly DebianPackage[], folder: string): Promise<void> {
  for (const each of packages) {
    const unpacked = `${folder}.unpacked`
    await rm(unpacked, { recursive: true, force: true })
    await unpackPackage(each, unpacked)
    for (const file of globSync('**/*', { cwd: unpacked }).filter(isNeeded).sort())
      await copy(path.join(unpacked, file), path.join(folder, file))
    await write(folder, `var/lib/dpkg/status.d/${each.name}`, await controlOf(each))
    await rm(unpacked, { recursive: true })
  }
}

/** Whether the image needs a file of a package: not the tables of character sets and the documentation. */
function isNeeded(file: string): boolean {
  const isLibrary = /^(usr\/)?lib\/[a-z0-9_]+-linux-gnu\/[^/]+\.so(\.\d+)*$/.test(file)
  const isLoader = /^(usr\/)?lib(64)?\/ld-linux-[^/]+$/.test(file)
  return isLibrary || isLoader || /^usr\/share\/doc\/[^/]+\/copyright$/.test(file)
}

/** Writes everything except the libraries and the executable into a folder: users, and the folders for volumes. */
export async function writeBase(folder: string): Promise<void> {
  const { uid, gid } = imageUser
  const release = await readFile('/etc/os-release', 'utf8')
  await write(
    folder,
    'etc/passwd',
    `root:x:0:0:root:/:/sbin/nologin\ncoffer:x:${uid}:${gid}::/config:/sbin/nologin\n`,
  )
  await write(folder, 'etc/group', `root:x:0:\ncoffer:x:${gid}:\n`)
  await write(folder, 'etc/nsswitch.conf', 'passwd: files\ngroup: files\nhosts: files dns\n')
  await write(folder, 'etc/os-release', release)
  for (const name of [...volumes, 'tmp', 'run']) await mkdir(path.join(folder, name), { recursive: true })
}

/** Writes the executable and its licences into a folder. */
export async function writeProgram(executable: string, licences: string, folder: string): Promise<void> {
  await copy(executable, path.join(folder, 'usr/bin/coffer'))
  await copy(licences, path.join(folder, 'usr/share/doc/coffer/copyright'))
}

async function write(folder: string, name: string, text: string): Promise<void> {
  const file = path.join(folder, name)
  await mkdir(path.dirname(file), { recursive: true })
  await writeFile(file, text)
}

async function copy(from: string, to: string): Promise<void> {
  await mkdir(path.dirname(to), { recursive: true })
  if ((await lstat(from)).isSymbolicLink()) await cp(from, to, { verbatimSymlinks: true })
  else await copyFile(from, to)
}
