import { bcryptFault } from '#src/core/access/bcrypt.ts'
import { isHash } from '#src/core/access/passwords.ts'
import { Problem } from '#src/core/problem.ts'
import { openJail, openPath } from '#src/files/jail/jail.ts'
import { isWithin, normalizePath, type UserPath } from '#src/files/paths/user-path.ts'
import type { Fields } from '#src/import/reading/fields.ts'
import { secondShare } from '#src/import/reading/first-version.ts'
import type { ReportWriter } from '#src/import/report/report.ts'
import { shown } from '#src/import/report/shown.ts'
import { fileIdentityOf } from '#src/shares/share-record.ts'
import type { ShareRecord, UserRecord } from '#src/state/state.ts'
import type { Served } from './scopes.ts'

/** What the import of shares needs. */
export interface ShareContext {
  /** The owner of a share. Undefined: there is none. */
  ownerOf: (share: Fields) => UserRecord | undefined
  served: Served
  report: ReportWriter
  /** Milliseconds since 1970. */
  now: number
}

/** A share that is left out, and why. */
class Dropped extends Error {}

/**
 * Returns the shares that visitors can still open. They keep their ids, so that published links keep working. The path of
 * a share is relative to the scope of its owner.
 */
export async function mapShares(shares: readonly Fields[], context: ShareContext): Promise<ShareRecord[]> {
  const mapped: ShareRecord[] = []
  for (const share of shares) {
    const owner = context.ownerOf(share)
    const name = nameOf(share, owner)
    try {
      const record = await mapShare(share, owner, context)
      mapped.push(record)
      const expiry =
        record.expire === 0 ? 'never expires' : `until ${new Date(record.expire * 1000).toISOString()}`
      const lock = record.password === '' ? '' : ', with its password'
      context.report.note('share', name, 'imported', `${expiry}${lock}`)
      if (share.text('token') !== '')
        context.report.note(
          'share',
          name,
          'changed',
          'links with ?token= now need the password, because that token never expires',
        )
    } catch (error) {
      if (!(error instanceof Dropped)) throw error
      context.report.note('share', name, 'dropped', error.message)
    }
  }
  return mapped
}

/** Contains only the beginning of the id, because the whole id gives access, and reports end up in logs. */
function nameOf(share: Fields, owner: UserRecord | undefined): string {
  return `${share.text('hash').slice(0, 2)}… ${shown(share.text('path'), 30)} of ${owner?.username ?? 'nobody'}`
}

async function mapShare(
  share: Fields,
  owner: UserRecord | undefined,
  context: ShareContext,
): Promise<ShareRecord> {
  const { now } = context
  const [hash, expire] = [share.text('hash'), share.whole('expire')]
  if (!/^[\w-]{8,128}$/.test(hash)) throw new Dropped('its id is not one of File Browser')
  if (!owner) throw new Dropped('its owner does not exist')
  if (expire < 0 || (expire !== 0 && expire * 1000 <= now)) throw new Dropped('it has expired')
  // A Date cannot represent more.
  if (expire * 1000 > 8.64e15) throw new Dropped('its time of expiry is not a time')
  const target = await openTarget(share.text('path'), owner, context.served)
  return {
    hash,
    userID: owner.id,
    ...target,
    expire,
    created: Math.floor(now / 1000),
    password: passwordOf(share),
  }
}

/** Without its password, the share would be open for all. @throws Dropped. */
function passwordOf(share: Fields): string {
  const hash = share.text('password_hash')
  if (hash === '' || isHash(hash)) return hash
  throw new Dropped(`its password cannot be verified: ${bcryptFault(hash)}`)
}

/** Opens the shared file or folder with the access of its owner, but without rules: these apply to each visit. */
async function openTarget(
  written: string,
  { scope }: UserRecord,
  { root, secret }: Served,
): Promise<Pick<ShareRecord, 'path' | 'thing' | 'isFolder'>> {
  try {
    const jail = await openJail(root, scope as UserPath, { allows: () => true, secret })
    await using opened = await openPath(jail, normalizePath(written).path)
    if (!opened.stats.isFile() && !opened.stats.isDirectory())
      throw new Dropped('it is neither a file nor a folder')
    const { path, stats } = opened
    return { path, thing: fileIdentityOf(stats), isFolder: stats.isDirectory() }
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    throw new Dropped(error.code === 'path.unknown' ? 'the file does not exist' : error.message, {
      cause: error,
    })
  }
}

/**
 * Returns shares of version 1 as those of version 2. They had a path of the disk and no owner: the first administrator
 * whose scope contains the file becomes the owner.
 */
export function withOwners(
  shares: readonly Fields[],
  users: readonly UserRecord[],
  { served, report }: Pick<ShareContext, 'served' | 'report'>,
): Fields[] {
  const admins = users.filter(({ perm }) => perm.admin)
  return shares.flatMap((share) => {
    const path = pathInRoot(share.text('path'), served)
    const owner = path && admins.find(({ scope }) => isWithin(path, scope))
    if (path && owner) {
      const inScope = owner.scope === '/' ? path : path.slice(owner.scope.length) || '/'
      return [secondShare(share, owner.id, inScope)]
    }
    report.note('share', nameOf(share, undefined), 'dropped', 'it is not in the folder of an administrator')
    return []
  })
}

/** The path of a file of the disk in the served folder. Undefined when it is not there. */
function pathInRoot(written: string, { root }: Served): UserPath | undefined {
  try {
    const { path } = normalizePath(written)
    return isWithin(path, root) ? normalizePath(path.slice(root === '/' ? 0 : root.length)).path : undefined
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return undefined
  }
}
