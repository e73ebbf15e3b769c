import type { Dirent } from 'node:fs'
import { join } from 'node:path'
import { realpath } from '#src/files/paths/disk.ts'
import { isInside, isSecret } from '#src/files/paths/path-access.ts'
import { firstEntries } from '#src/files/paths/read-folder.ts'
import { leadsToRemoteMount, rejectUnresponsive, remoteMountOf } from '#src/files/paths/remote-mounts.ts'
import type { UserRecord } from '#src/state/state.ts'
import { type CheckFinding, finding, fine, someOf } from '../findings/finding.ts'
import type { Subject } from '../findings/subject.ts'

// The walk ends after this many entries, or this time.
const mostEntries = 50_000
const mostMs = 5000
const mostShown = 20
const mostUsers = 2000

/** A link that some users see, but cannot follow. */
interface BadLink {
  /** Path below the served folder. */
  path: string
  isBroken: boolean
  users: string[]
}

/** The links of one kind. Only as many paths as are shown are kept, because there may be very many links. */
interface BadLinks {
  count: number
  paths: string[]
  users: Set<string>
}

/** Searches the served folder for symbolic links that leave the scope of a user, or whose target is missing. */
export async function checkLinks(subject: Subject, signal: AbortSignal): Promise<CheckFinding[]> {
  const { config, state, secret, shows } = subject
  await rejectUnresponsive(config.root, config.root)
  const scopes = await scopesOf(config.root, Object.values(state?.users ?? {}))
  const outside: BadLinks = { count: 0, paths: [], users: new Set() }
  const broken: BadLinks = { count: 0, paths: [], users: new Set() }
  let hidden = 0
  const isComplete = await eachLink(subject, signal, async (real) => {
    const link = await badLink(real, { root: config.root, secret, scopes })
    if (!link) return
    if (shows(real)) add(link, link.isBroken ? broken : outside)
    else hidden += 1
  })
  const found = [...report('links.outside', outside), ...report('links.broken', broken)]
  if (hidden > 0)
    found.push(
      finding('links.hidden', 'advice', `${hidden} more such links are in folders that you cannot see.`),
    )
  if (!isComplete) {
    const text = `Only a part of the served folder was searched for symbolic links, because it has many entries.`
    return [...found, finding('links.partial', 'ok', text)]
  }
  return found.length > 0 ? found : [fine('links', 'No symbolic link leaves the folder of a user.')]
}

const kinds = {
  'links.outside': {
    one: 'A symbolic link leads out of the folder of a user, who cannot open it',
    many: 'symbolic links lead out of the folders of users, who cannot open them',
    lines: { shell: 'mount --bind TARGET FOLDER' },
  },
  'links.broken': {
    one: 'The target of a symbolic link does not exist',
    many: 'symbolic links have targets that do not exist',
    lines: {},
  },
} as const

function add({ path, users }: BadLink, links: BadLinks): void {
  links.count += 1
  if (links.paths.length < mostShown) links.paths.push(path)
  for (const user of users) links.users.add(user)
}

function report(id: keyof typeof kinds, { count, paths, ...links }: BadLinks): CheckFinding[] {
  if (count === 0) return []
  const { one, many, lines } = kinds[id]
  const users = [...links.users]
  const what = count === 1 ? one : `${count} ${many}`
  const affected = users.length > 0 ? ` Users: ${someOf(users)}.` : ''
  const text = `${what}: ${someOf(paths, mostShown)}${count > mostShown ? ', …' : ''}.${affected}`
  return [finding(id, 'advice', text, { names: [...paths, ...users], lines })]
}

interface Scope {
  user: string
  real: string
}

async function scopesOf(root: string, users: readonly UserRecord[]): Promise<Scope[]> {
  const scopes: Scope[] = []
  for (const { username, scope } of users.slice(0, mostUsers)) {
    // A missing folder is reported by another check.
    const real = await realpath(join(root, scope)).catch(() => undefined)
    if (real !== undefined) scopes.push({ user: username, real })
  }
  return scopes
}

/** Calls `visit` with the real path of each symbolic link, one at a time. Returns whether it has visited all. */
async function eachLink(
  { config: { root }, secret }: Subject,
  signal: AbortSignal,
  visit: (real: string) => Promise<void>,
): Promise<boolean> {
  const waiting = [root]
  const endAt = performance.now() + mostMs
  const isLate = () => performance.now() > endAt || signal.aborted
  let left = mostEntries
  for (let folder = waiting.shift(); folder !== undefined; folder = waiting.shift()) {
    if (left <= 0 || isLate()) return false
    const { entries, isComplete } = await readFolder(folder, left)
    left = isComplete ? left - entries.length : 0
    const shown = entries.filter(({ path }) => !isSecret({ secret }, path))
    // Another disk in the tree may not respond, so it is not searched.
    const folders = shown.filter(({ kind, path }) => kind === 'folder' && isOnSameDisk(path, root))
    waiting.push(...folders.map(({ path }) => path))
    // One folder may have very many links.
    for (const { path } of shown.filter(({ kind }) => kind === 'link')) {
      if (isLate()) return false
      await visit(path)
    }
  }
  return true
}

interface Entry {
  path: string
  kind: 'folder' | 'link' | 'other'
}

/** The entries of a folder. A folder that cannot be read has no links that users can follow. */
async function readFolder(folder: string, most: number): Promise<{ entries: Entry[]; isComplete: boolean }> {
  const { entries, isComplete } = await firstEntries(folder, most).catch(() => ({
    entries: [],
    isComplete: true,
  }))
  const kindOf = (entry: Dirent) => {
    if (entry.isDirectory()) return 'folder'
    return entry.isSymbolicLink() ? 'link' : 'other'
  }
  return {
    entries: entries.map((entry) => ({ path: join(folder, entry.name), kind: kindOf(entry) })),
    isComplete,
  }
}

function isOnSameDisk(path: string, root: string): boolean {
  return remoteMountOf(path) === remoteMountOf(root)
}

async function badLink(
  path: string,
  { root, secret, scopes }: { root: string; secret: readonly string[]; scopes: readonly Scope[] },
): Promise<BadLink | undefined> {
  if (leadsToRemoteMount(path, { root, secret })) return undefined
  const target = await realpath(path).catch(() => undefined)
  const leaves = (folder: string) => target === undefined || !isInside(target, folder)
  const users = scopes.filter(({ real }) => isInside(path, real) && leaves(real)).map(({ user }) => user)
  if (users.length === 0 && !leaves(root)) return undefined
  const relative = path.slice(root === '/' ? 0 : root.length)
  return { path: relative, isBroken: target === undefined, users }
}
