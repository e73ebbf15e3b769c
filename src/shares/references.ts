import type { GivenReferences } from '#contract/shares.ts'
import type { Principal } from '#src/access/principal.ts'
import { Problem } from '#src/core/problem.ts'
import { openPath } from '#src/files/jail/jail.ts'
import { typeByName } from '#src/files/listing/entry.ts'
import { nameOf, normalizePath } from '#src/files/paths/user-path.ts'
import type { ShareRecord } from '#src/state/state.ts'
import type { Store } from '#src/state/store.ts'
import { invalid } from './conditions.ts'
import { fileIdentityOf } from './share-record.ts'

/** Accounts and files to which a share refers. Null: none from now on. Undefined: they stay. */
export interface References {
  people?: number[] | null
  cover?: NonNullable<ShareRecord['cover']> | null
}

/**
 * Finds what the names in a request mean.
 *
 * @param owner undefined: the account of the owner does not exist
 * @throws Problem `request.invalid` for an unknown account, and a cover that is not a picture; as `openPath` does.
 */
export async function resolveReferences(
  store: Pick<Store, 'users'>,
  owner: Principal | undefined,
  { people, cover }: GivenReferences,
): Promise<References> {
  return {
    ...(people !== undefined && { people: people === null ? null : await idsOf(store, people) }),
    ...(cover !== undefined && { cover: cover === null ? null : await coverOf(owner, cover) }),
  }
}

async function idsOf({ users }: Pick<Store, 'users'>, names: readonly string[]): Promise<number[]> {
  const found = await Promise.all(
    names.map(async (name) => {
      const user = await users.byName(name)
      if (!user) throw invalid('people', 'has a name that no account has')
      return user.id
    }),
  )
  return [...new Set(found)]
}

async function coverOf(
  owner: Principal | undefined,
  path: string,
): Promise<NonNullable<ShareRecord['cover']>> {
  if (!owner) throw new Problem('share.unknown')
  await using opened = await openPath(await owner.jail(), normalizePath(path).path)
  if (!opened.stats.isFile() || typeByName(nameOf(opened.path)) !== 'image')
    throw invalid('cover', 'must be a picture')
  return { path: opened.path, thing: fileIdentityOf(opened.stats) }
}

/** The share with these references. */
export function withReferences<S extends Pick<ShareRecord, 'people' | 'cover'>>(
  { people: peopleBefore, cover: coverBefore, ...share }: S,
  { people = peopleBefore ?? null, cover = coverBefore ?? null }: References,
): Omit<S, 'people' | 'cover'> & Pick<ShareRecord, 'people' | 'cover'> {
  return { ...share, ...(people && { people }), ...(cover && { cover }) }
}
