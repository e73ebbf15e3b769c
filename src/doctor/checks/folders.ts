import { dirname } from 'node:path'
import { errnoOf } from '#src/core/problem.ts'
import { mountAt, rejectUnresponsive } from '#src/files/paths/remote-mounts.ts'
import { type CheckFinding, finding, fine } from '../findings/finding.ts'
import { accessFault, createOwnFolder, statOwn, writeProbe } from '../findings/own-files.ts'
import type { Subject } from '../findings/subject.ts'

/** Checks that this user can read and write the served folder. */
export async function checkRoot({ config: { root } }: Subject): Promise<CheckFinding[]> {
  await rejectUnresponsive(root, root)
  const names = [root]
  const readFault = await accessFault(root, 'read')
  if (readFault) {
    const text = `The served folder ${root} cannot be read (${readFault}).`
    const lines = { shell: await permissionCommand(root) }
    return [finding('root.denied', 'error', text, { names, lines })]
  }
  const isReadOnly = mountAt(root)?.options.includes('ro') ?? false
  const writeFault = await accessFault(root, 'all')
  if (writeFault === 'EROFS' || isReadOnly) {
    const mount = mountAt(root)?.place ?? root
    const text = `The disk of the served folder ${root} is read-only: nothing can be uploaded.`
    const lines = { shell: `mount -o remount,rw ${quoted(mount)}`, systemd: `ReadWritePaths=${root}` }
    return [finding('root.readonly', 'warning', text, { names: [root, mount], lines })]
  }
  if (writeFault) {
    const text = `Coffer cannot write to the served folder ${root} (${writeFault}).`
    const lines = { shell: await permissionCommand(root) }
    return [finding('root.denied', 'warning', text, { names, lines })]
  }
  return [fine('root', 'The served folder can be read and written.')]
}

/** Checks that this user can write the state, by creating a file in its folder. */
export async function checkStateFolder({ file, folder }: Subject): Promise<CheckFinding[]> {
  await rejectUnresponsive(file, file)
  const stats = await statOwn(file)
  const own = process.geteuid?.()
  if (stats && own !== undefined && stats.uid !== own && own !== 0) {
    const text = `The state file ${file} belongs to the user with the id ${stats.uid}, but this program runs as ${own}. Run it as the owner, or change the owner.`
    const lines = { shell: `chown -R ${own} ${quoted(file)}* ${quoted(folder)}` }
    return [finding('state.owner', 'error', text, { names: [file], lines })]
  }
  const parent = dirname(file)
  const place = (await statOwn(folder)) ? folder : parent
  // A write creates a file beside the state file, and renames it.
  const parentFault = await accessFault(parent, 'all')
  const fault = parentFault ?? (await tryToWrite(place))
  if (fault === undefined) return [fine('state', 'The state can be written.')]
  const where = parentFault ? parent : place
  const text = `The state cannot be written in ${where} (${fault}).`
  const lines = { shell: await permissionCommand(where), coffer: '--database FILE' }
  return [finding('state.denied', 'error', text, { names: [where], lines })]
}

/** The command that lets this user write in a folder. */
async function permissionCommand(folder: string): Promise<string> {
  const own = process.geteuid?.()
  const stats = await statOwn(folder)
  return stats?.uid === own ? `chmod u+rwx ${quoted(folder)}` : `chown ${own ?? 'USER'} ${quoted(folder)}`
}

/** Checks that the cache can be written. */
export async function checkCache({ config, file, folder, cacheFolder }: Subject): Promise<CheckFinding[]> {
  await rejectUnresponsive(cacheFolder, cacheFolder)
  const names = [cacheFolder]
  const stats = await statOwn(cacheFolder)
  if (!stats && !config.cacheDir) return [fine('cache', 'The cache is created when it is first used.')]
  if (!stats) {
    const text = `The cache folder ${cacheFolder} is missing.`
    const own = process.geteuid?.()
    const owner = ((await statOwn(file)) ?? (await statOwn(folder)))?.uid
    // The server could not write in a folder of another user, such as root.
    if (own !== undefined && owner !== own) {
      const shell = `install -d -m 700 -o ${owner ?? 'USER'} ${quoted(cacheFolder)}`
      return [finding('cache.missing', 'advice', text, { names, lines: { shell } })]
    }
    const apply = async () => {
      await createOwnFolder(cacheFolder)
      return `Created the folder ${cacheFolder}.`
    }
    return [finding('cache.missing', 'advice', text, { names, fix: 'folder', apply })]
  }
  const fault = await tryToWrite(cacheFolder)
  if (fault === undefined) return [fine('cache', 'The cache can be written.')]
  const text = `The cache ${cacheFolder} cannot be written (${fault}): previews are slow.`
  return [finding('cache.denied', 'warning', text, { names, lines: { coffer: '--cache-dir FOLDER' } })]
}

async function tryToWrite(folder: string): Promise<string | undefined> {
  return writeProbe(folder).then(
    () => undefined,
    (error: unknown) => errnoOf(error) ?? String(error),
  )
}

/** A path for a command line. */
function quoted(path: string): string {
  return /^[\w./@%+=:,-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`
}
