import { proxy } from 'valtio'
import type { SessionView } from '#contract/auth.ts'
import type { UserView } from '#contract/users.ts'
import { api, renew } from '#web/api/client.ts'
import { codeOf, problemMessage } from '#web/api/problems/problem-text.ts'
import { announceChange } from '#web/shared/changes.ts'
import type { Proof } from '#web/shared/forms/submit.ts'
import { draftOfUser, type UserDraft, userOfDraft } from '#web/shared/forms/user-draft.ts'
import { session } from '#web/shared/session.ts'
import { showToast } from '#web/ui/toasts/toasts.ts'

/** All users, sorted by id; undefined until they are loaded. */
export const usersState = proxy({ list: undefined as UserView[] | undefined })

/** Fetches all users; shows an error if that fails. */
export async function loadUsers(): Promise<void> {
  try {
    usersState.list = await api('GET /api/users')
  } catch (error) {
    showToast('error', problemMessage(error))
  }
}

/** Loads the user `id` for a form. @throws ApiProblem `user.unknown` */
export async function loadUser(id: number): Promise<UserDraft> {
  return draftOfUser(await api('GET /api/users/:id', { params: { id } }))
}

/** A new user for a form, with the default settings of the instance, and the scope that leads to a home folder. @throws ApiProblem */
export async function newUser(): Promise<{ draft: UserDraft; homeScope: string | undefined }> {
  const { defaults, createUserDir } = await api('GET /api/settings')
  const { scope, locale, perm, commands } = defaults
  const draft = {
    ...{ username: '', password: '', lockPassword: false, rules: [] },
    ...{ scope, locale, perm, commands: commands.join(' ') },
  }
  return { draft, homeScope: createUserDir ? scope : undefined }
}

/**
 * Creates a user and returns the address of the user's page.
 *
 * @throws ApiProblem `user.exists`, `user.name`, `password.weak`, `auth.proof` …
 */
export async function createUser(draft: UserDraft, proof: Proof): Promise<string> {
  let address = ''
  await api(
    'POST /api/users',
    { body: { what: 'user', which: [], data: userOfDraft(draft), ...proof } },
    {
      onLocation: (location) => {
        address = location
      },
    },
  )
  return address
}

/** Changes a user. @throws ApiProblem the codes of `createUser`, and `user.last`. */
export async function updateUser(id: number, draft: UserDraft, proof: Proof): Promise<void> {
  await api('PUT /api/users/:id', {
    params: { id },
    body: { what: 'user', which: ['all'], data: { id, ...userOfDraft(draft) }, ...proof },
  })
  if (id !== session.user?.id) return
  // Changes of one's own account take effect at once (contract/compatibility.md#users) and may make other files
  // visible.
  await renew()
  announceChange(undefined)
}

/** Deletes a user, but not their files. @throws ApiProblem `user.last`, `auth.proof`. */
export async function deleteUser(id: number, proof: Proof): Promise<void> {
  await api('DELETE /api/users/:id', { params: { id }, body: proof })
  usersState.list = usersState.list?.filter((user) => user.id !== id)
}

/** The sessions of a user, last used first. @throws ApiProblem `user.unknown`. */
export function loadSessionsOf(id: number): Promise<SessionView[]> {
  return api('GET /api/users/:id/sessions', { params: { id } })
}

/**
 * Ends one session of a user. An already ended session is not an error. @throws ApiProblem `user.unknown`,
 * `auth.proof`.
 */
export async function endSessionOf(id: number, session: string, proof: Proof): Promise<void> {
  try {
    await api('DELETE /api/users/:id/sessions/:session', { params: { id, session }, body: proof })
  } catch (error) {
    if (codeOf(error) !== 'session.unknown') throw error
  }
}

/** Ends every session of a user. @throws ApiProblem `user.unknown`, `auth.proof`. */
export async function endAllSessionsOf(id: number, proof: Proof): Promise<void> {
  await api('DELETE /api/users/:id/sessions', { params: { id }, body: proof })
}
