import { useLingui } from '@lingui/react/macro'
import { LogOut, Trash2 } from 'lucide-react'
import { type FormEvent, useEffect, useState } from 'react'
import { attempt, sentenceOf } from '#web/app/attempt.ts'
import { go, paths } from '#web/app/paths.ts'
import type { UserDraft } from '#web/app/user-draft.ts'
import { ask } from '#web/overlays/ask.ts'
import { Button } from '#web/ui/button.tsx'
import { Buttons, Card, Group } from '#web/ui/form.tsx'
import { later } from '#web/ui/later.tsx'
import { tell } from '#web/ui/toasts.ts'
import { RulesEditor } from './rules-editor.tsx'
import { UserFields } from './user-fields.tsx'
import { changeUser, createUser, deleteUser, loadUser, newUser, signOutEverywhere } from './users-state.ts'

const DeleteUser = later(async () => (await import('#web/app/later-dialogs.ts')).DeleteUser)

interface UserPageProps {
  /** Absent: a new user. */
  id?: number
}

/** One user, to make or to change. Who cannot be loaded is a new one (specification, section 2). */
export function UserPage({ id }: UserPageProps) {
  const { t } = useLingui()
  const [draft, setDraft] = useState<UserDraft>()
  const [busy, setBusy] = useState(false)
  useEffect(() => {
    if (id !== undefined) loadUser(id).then(setDraft, () => go(paths.newUser, { replace: true }))
    else newUser().then(setDraft, (error: unknown) => tell('error', sentenceOf(error)))
  }, [id])
  if (!draft) return null
  const change = (part: Partial<UserDraft>) => setDraft({ ...draft, ...part })
  const save = async (event: FormEvent) => {
    event.preventDefault()
    setBusy(true)
    if (id === undefined) {
      let address: string = paths.users
      const isDone = await attempt(t`User created!`, async (proof) => {
        address = (await createUser(draft, proof)) || paths.users
      })
      if (isDone) return go(address)
    } else {
      const isDone = await attempt(t`User updated!`, (proof) => changeUser(id, draft, proof))
      if (isDone) change({ password: '' })
    }
    setBusy(false)
  }
  return (
    <form onSubmit={save}>
      <Card title={id === undefined ? t`New user` : t`Edit ${draft.username}`}>
        <UserFields draft={draft} onChange={change} isNew={id === undefined} />
        <Group label={t`Rules`}>
          <RulesEditor rules={draft.rules} onChange={(rules) => change({ rules })} />
        </Group>
        <Buttons>
          {id !== undefined && (
            <>
              <Button look="danger" icon={Trash2} label={t`Delete`} onClick={() => remove(id)} />
              <Button
                icon={LogOut}
                label={t`Sign out everywhere`}
                onClick={() => attempt(t`Signed out everywhere.`, () => signOutEverywhere(id))}
              />
            </>
          )}
          <Button type="submit" look="main" label={t`Save`} disabled={busy} />
        </Buttons>
      </Card>
    </form>
  )

  async function remove(id: number) {
    if (!(await ask(DeleteUser, { username: draft?.username ?? '' }))) return
    if (await attempt(t`User deleted!`, (proof) => deleteUser(id, proof))) go(paths.users)
  }
}
