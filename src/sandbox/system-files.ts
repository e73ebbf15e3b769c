import { constants } from 'node:fs'
import { access, lstat, readlink, realpath, stat } from 'node:fs/promises'
import { isWithin } from '#src/files/paths/user-path.ts'

/** Folders of programs and their libraries on Linux. */
const programFolders = [
  '/usr',
  '/bin',
  '/sbin',
  '/lib',
  '/lib32',
  '/lib64',
  '/libx32',
  '/nix/store',
  '/gnu/store',
]
const programLinks = ['/run/current-system']

/**
 * Files that programs look up in /etc: user names, time, certificates of others. No keys and no settings of servers.
 */
const etcFiles = [
  ...['passwd', 'group', 'nsswitch.conf', 'ld.so.cache', 'ld.so.conf', 'ld.so.conf.d', 'alternatives'],
  ...['localtime', 'timezone', 'locale.alias', 'inputrc', 'terminfo', 'bash.bashrc', 'profile', 'mime.types'],
  ...['magic', 'fonts', 'ImageMagick-6', 'ImageMagick-7', 'python3', 'perl', 'services', 'protocols'],
  ...['hosts', 'host.conf', 'gai.conf', 'resolv.conf', 'ssl/certs', 'ssl/openssl.cnf', 'crypto-policies'],
  ...['ca-certificates', 'pki/tls/certs', 'pki/tls/openssl.cnf', 'pki/ca-trust/extracted'],
].map((name) => `/etc/${name}`)

/** A file or folder in /etc. `source` is its real path. */
export interface EtcFile {
  path: string
  source: string
  isFolder: boolean
}

/** The parts of the system that every command sees, read-only. */
export interface SystemFiles {
  /** Program folders, as absolute paths. */
  folders: readonly string[]
  /** Symbolic links, such as `/bin` to `usr/bin`. */
  links: readonly { path: string; target: string }[]
  /** Files that programs look up. */
  lookedUp: readonly EtcFile[]
  /** A secret path in one of the folders; undefined if there is none. */
  exposed: string | undefined
}

/**
 * Finds the program folders of this system. Leaves out entries of /etc that contain a secret path or the served
 * folder, or are inside one.
 */
export async function findSystemFiles(options: {
  secret: readonly string[]
  served: string
}): Promise<SystemFiles> {
  const folders: string[] = []
  const links: { path: string; target: string }[] = []
  for (const path of [...programFolders, ...programLinks]) {
    const stats = await lstat(path).catch(() => undefined)
    if (stats?.isSymbolicLink()) links.push({ path, target: await readlink(path) })
    else if (stats?.isDirectory() && programFolders.includes(path)) folders.push(path)
  }
  const excluded = [...options.secret, options.served]
  const found = await Promise.all(etcFiles.map(resolveFile))
  return {
    folders,
    links,
    lookedUp: found.filter(
      (one) =>
        one !== undefined &&
        !excluded.some((path) => isWithin(path, one.source) || isWithin(one.source, path)),
    ) as EtcFile[],
    exposed: options.secret.find((path) => folders.some((folder) => isWithin(path, folder))),
  }
}

async function resolveFile(path: string): Promise<EtcFile | undefined> {
  try {
    const source = await realpath(path)
    await access(source, constants.R_OK)
    const stats = await stat(source)
    const isFolder = stats.isDirectory()
    return stats.isFile() || isFolder ? { path, source, isFolder } : undefined
  } catch {
    return undefined // most systems have only some of these files
  }
}
