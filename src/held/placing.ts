import { join } from 'node:path'
import type { Principal } from '#src/access/principal.ts'
import { Problem } from '#src/core/problem.ts'
import type { Hooks } from '#src/entries/hooks.ts'
import type { Transfers } from '#src/entries/transfers.ts'
import { pathOfKept } from '#src/files/kept/kept-access.ts'
import { etagOf } from '#src/files/listing/entry.ts'
import { identityOf } from '#src/files/paths/local-calls.ts'
import type { UserPath } from '#src/files/paths/user-path.ts'
import type { HeldFile } from './held-record.ts'
import { nameOfHeld } from './holding.ts'

/** What putting held files at their places needs. */
export interface PlacingOptions {
  entries: Pick<Transfers, 'restore'>
  hooks: Hooks
  /** Real path of the served folder. */
  root: string
}

/** Refusals after which a file still gets a name of its own. */
const notReplaced: readonly string[] = ['path.changed', 'path.exists', 'auth.forbidden', 'path.special']

/**
 * Puts a held file at its place, with the present rights of a user, and makes missing folders. It replaces only the file
 * that it was sent to replace, if that is unchanged. Otherwise it gets a number if the name is taken.
 *
 * @returns its path in the scope of the user
 * @throws Problem `path.forbidden` when the place is not in the scope, and as `restore`.
 */
export async function placeHeld(
  { entries, hooks, root }: PlacingOptions,
  actor: Principal,
  held: HeldFile,
): Promise<UserPath> {
  const jail = await actor.jail()
  const to = pathOfKept(jail, { root, was: held.path })
  if (to === undefined) throw new Problem('path.forbidden', { path: nameOfHeld(held) })
  const request = { id: held.id, kind: 'version', place: held.place, was: held.path, to } as const
  const numbered = () => entries.restore(actor, { ...request, whenTaken: 'rename' })
  const { replaces } = held
  const replaced = () =>
    entries.restore(actor, {
      ...request,
      whenTaken: 'replace',
      check(current) {
        const isSame = current && identityOf(current) === replaces?.entry && etagOf(current) === replaces.etag
        if (!isSame) throw new Problem('path.changed', { path: to })
      },
    })
  const path = await (replaces ? replaced().catch(unlessRefused(numbered)) : numbered())
  // The file is there: a failing command changes nothing about this. Its failure is in the log.
  await hooks.after(held.event, { person: actor, jail, file: join(jail.root, path) }).catch(() => {})
  return path
}

function unlessRefused(otherwise: () => Promise<UserPath>): (error: unknown) => Promise<UserPath> {
  return (error) => {
    if (error instanceof Problem && notReplaced.includes(error.code)) return otherwise()
    throw error
  }
}
