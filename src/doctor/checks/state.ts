import { dirname, join } from 'node:path'
import { rejectUnresponsive } from '#src/files/paths/remote-mounts.ts'
import { type CheckFinding, finding, fine } from '../findings/finding.ts'
import { deadSockets, isProbe, ownNames, readTail, removeOwn, statOwn } from '../findings/own-files.ts'
import type { Subject } from '../findings/subject.ts'

const dayMs = 24 * 60 * 60_000
const asideBytes = 4 * 1024 * 1024

/** Checks the content of the state file, the records that were moved out of it, and its copy. */
export async function checkState({ file, state, stateFault }: Subject): Promise<CheckFinding[]> {
  await rejectUnresponsive(file, file)
  if (stateFault !== undefined) return [finding('state.damaged', 'error', stateFault, { names: [file] })]
  if (!state) return [fine('state.none', 'There is no state yet. Coffer creates it at its first start.')]
  const aside = `${file}.aside`
  const found: CheckFinding[] = []
  if (await statOwn(aside)) {
    const lines = (await readTail(aside, asideBytes)).split('\n').filter(Boolean).length
    const text = `Damaged records were moved out of the state into ${aside}: ${lines}. Create these users and shares again, then move the file away.`
    found.push(finding('state.aside', 'warning', text, { names: [aside], lines: { shell: `less ${aside}` } }))
  }
  const copy = await statOwn(`${file}.bak`)
  if (!copy)
    return [...found, fine('state.copy', 'The state was never changed, so that there is no copy of it yet.')]
  return [
    ...found,
    fine(
      'state.copy',
      `The previous state, of ${copy.mtime.toISOString()}, is in the file that ends in .bak.`,
    ),
  ]
}

/** Searches the folders of Coffer for what killed processes have left behind. */
export async function checkLeftovers({
  file,
  folder,
  cacheFolder,
  server,
  wall,
}: Subject): Promise<CheckFinding[]> {
  for (const place of [folder, cacheFolder]) await rejectUnresponsive(place, place)
  const records = ['sessions', 'uploads', 'clock', 'site'].map((name) => join(folder, name))
  // While there is no folder beside the state file, the folder of the state file is tested instead.
  const tested = (await statOwn(folder)) ? folder : dirname(file)
  const files = await Promise.all([
    ...[tested, cacheFolder].map(probesIn),
    ...records.map((place) => namesIn(place, unfinishedRecord)),
  ])
  // A running server may be writing them.
  const writes = server ? [] : [`${file}.new`, `${file}.bak.new`]
  const old: string[] = []
  for (const path of [...files.flat(), ...writes]) if (await isOld(path, wall())) old.push(path)
  const sockets = (await deadSockets(folder)).map((name) => join(folder, name))
  const left = [...sockets, ...old]
  return left.length > 0
    ? left.map(leftover)
    : [fine('leftovers', 'No killed process has left files behind.')]
}

async function namesIn(place: string, pattern: RegExp): Promise<string[]> {
  const names = await ownNames(place)
  return names.filter((name) => pattern.test(name)).map((name) => join(place, name))
}

/** Probes that killed checks have left. Users may have files in these folders too. */
async function probesIn(place: string): Promise<string[]> {
  const probes: string[] = []
  for (const name of await ownNames(place)) {
    const path = join(place, name)
    if (await isProbe(path).catch(() => false)) probes.push(path)
  }
  return probes
}

async function isOld(path: string, now: number): Promise<boolean> {
  const stats = await statOwn(path)
  return stats?.isFile() === true && now - stats.mtimeMs > dayMs
}

const unfinishedRecord = /^[\w-]+\.json\.new$/

function leftover(path: string): CheckFinding {
  return finding('leftovers.file', 'advice', `A killed process has left ${path} behind.`, {
    names: [path],
    fix: 'leftover',
    apply: async () => {
      await removeOwn(path)
      return `Removed ${path}.`
    },
  })
}
