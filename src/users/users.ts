import type { UserInput, UserView } from '#contract/users.ts'
import { hashPassword, isHash, verifyPassword } from '#src/core/access/passwords.ts'
import { Problem, type Recheck, unconditional } from '#src/core/problem.ts'
import { checkUserName } from '#src/core/text/user-names.ts'
import type { Draft } from '#src/state/draft.ts'
import type { UserRecord } from '#src/state/state.ts'
import type { Store } from '#src/state/store.ts'
import { createDirectory } from './directory.ts'
import {
  permittedFields,
  pickFields,
  throwIfRefused,
  type UserChange,
  validatedFields,
  withAdminRules,
  withFolderViews,
  withoutOverruledViews,
} from './fields.ts'
import { type Homes, isSameScope } from './homes.ts'
import { createOperatorActions, newHash } from './operator.ts'
import { erase, insertUser, refuseTaken, refuseWithoutAdmin, replacePassword } from './records.ts'
import { removalRefusal } from './users.policy.ts'
import { createVerify } from './verify.ts'

/** A new account, with the password in plain text. */
export type NewUser = Omit<UserRecord, 'id'> & { password: string }

interface UsersOptions {
  store: Store
  homes: Homes
  /** Called after an account was deleted. Must not throw. */
  onRemoved?: (() => Promise<void>) | undefined
}

/** Manages accounts. The only module that writes users, and reads or writes password hashes. */
export function createUsers({ store, homes, onRemoved }: UsersOptions) {
  const known = createDirectory(store)
  const { get } = known

  const hashNew = (password: string, username: string) => newHash(store, password, username)

  return {
    ...known,
    ...createOperatorActions(store),

    verify: createVerify(store),

    /**
     * Adds an account on behalf of the administrator `by`, after `recheck`. With `isOwnScope`, no other user may have
     * the same scope.
     *
     * @throws Problem `user.exists`, `user.name`, `password.weak`, `password.common`.
     */
    async add(
      { password, ...fields }: NewUser,
      { isOwnScope, by, recheck }: { isOwnScope?: boolean; by?: number | undefined; recheck: Recheck },
    ): Promise<UserRecord> {
      const username = checkUserName(fields.username)
      const hash = await hashNew(password, username)
      return store.change((draft) => {
        recheck()
        if (by !== undefined && !draft.users.get(by)?.perm.admin) throw new Problem('auth.forbidden')
        refuseTaken(draft, username)
        const others = draft.users.list()
        if (isOwnScope && others.some(({ scope }) => isSameScope(scope, fields.scope))) {
          throw new Problem('user.exists')
        }
        return insertUser(draft, withAdminRules({ ...fields, username }), hash)
      })
    },

    /**
     * Changes the named fields of the user `id`, all or none. Returns whether the user's sessions must end.
     *
     * @param caller undefined: the operator of the machine
     * @throws Problem `auth.forbidden`, `user.unknown`, `request.invalid`, `user.last`, and the problems of `add`.
     */
    async change(caller: UserRecord | undefined, id: number, change: UserChange): Promise<boolean> {
      const fields = permittedFields(caller, id, change)
      const user = await get(id)
      const given = pickFields(change.data, fields)
      const edit = { ...validatedFields(withoutSameName(user, given)), ...(await newScope(user, given)) }
      const hash = given.password && (await changedHash(user, given.password, edit.username))
      if (edit.scope) await homes.create(edit.scope)
      return store.change((draft) => {
        const record = draft.users.get(id)
        if (!record) throw new Problem('user.unknown')
        change.recheck?.(record)
        // The caller may have lost permissions since the request began.
        permittedFields(callerNow(draft, caller), id, change)
        if (edit.username !== undefined) refuseTaken(draft, edit.username, id)
        const edited = withoutOverruledViews({ ...record, ...edit }, record)
        const next = withAdminRules(withFolderViews(edited, given.folderViews))
        draft.users.set(id, next)
        refuseWithoutAdmin(draft)
        if (hash) replacePassword(draft, next, { hash })
        return Boolean(hash) || (next.lockPassword && !record.lockPassword)
      })
    },

    /**
     * Deletes an account. The files stay. The id is never used again.
     *
     * @param caller undefined: the operator of the machine
     * @throws Problem `auth.forbidden`, `user.unknown`, `user.last`.
     */
    async remove(caller: UserRecord | undefined, id: number, recheck = unconditional): Promise<void> {
      throwIfRefused(removalRefusal(caller, id))
      await get(id)
      await store.change((draft) => {
        recheck()
        throwIfRefused(removalRefusal(callerNow(draft, caller), id))
        if (!draft.users.get(id)) throw new Problem('user.unknown')
        erase(draft, id)
        refuseWithoutAdmin(draft)
      })
      await onRemoved?.()
    },

    /** Removes a new account whose creation failed. */
    undoAdd: (id: number): Promise<void> => store.change((draft) => erase(draft, id)),
  }

  /** The hash of a new password. One that must be changed stays refused until the new one differs. */
  async function changedHash(user: UserRecord, password: string, newName = user.username): Promise<string> {
    const hash = await hashNew(password, newName)
    if (user.mustChangePassword && (await verifyPassword(await store.passwords.of(user.id), password)))
      throw new Problem('request.invalid', { field: 'data.password', reason: 'is the same as before' })
    return hash
  }

  async function newScope(user: UserRecord, { scope }: UserInput): Promise<{ scope?: string }> {
    return scope === undefined || scope === user.scope ? {} : { scope: await homes.checkScope(scope) }
  }
}

export type Users = ReturnType<typeof createUsers>

/** Drops an unchanged name. A form sends all fields, and an older version may have accepted a now invalid name. */
function withoutSameName({ username }: UserRecord, given: UserInput): UserInput {
  if (given.username !== username) return given
  const { username: _same, ...rest } = given
  return rest
}

function callerNow(draft: Draft, before: UserRecord | undefined): UserRecord | undefined {
  const caller = before && draft.users.get(before.id)
  if (before && !caller) throw new Problem('auth.required')
  return caller
}

/** Hashes a password that was given at the start, unless it already is a hash. */
export async function hashUnlessHashed(password: string): Promise<string> {
  return isHash(password) ? password : hashPassword(password)
}

/** A user as sent in responses. Only administrators see the scope. */
export function toUserView(user: UserRecord, isForAdmin: boolean): UserView {
  return { ...user, password: '', scope: isForAdmin ? user.scope : '' }
}

/** A user in the list of all users, without what is needed only for one of them. */
export function toListedUser({ folderViews: _views, ...user }: UserRecord): UserView {
  return toUserView(user, true)
}
