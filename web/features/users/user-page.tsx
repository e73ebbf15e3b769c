import { useLingui } from '@lingui/react/macro'
import { Trash2 } from 'lucide-react'
import { type FormEvent, useEffect, useState } from 'react'
import type { ApiProblem } from '#web/api/client.ts'
import { problemMessage } from '#web/api/problems/problem-text.ts'
import { ask } from '#web/overlays/ask.ts'
import { FormWithErrors } from '#web/shared/forms/form-errors.tsx'
import { submitForm } from '#web/shared/forms/submit.ts'
import { useUnsavedChanges } from '#web/shared/forms/unsaved.ts'
import type { UserDraft } from '#web/shared/forms/user-draft.ts'
import { navigateTo, paths } from '#web/shared/paths.ts'
import { useSettingTexts } from '#web/shared/settings/texts.ts'
import { Button } from '#web/ui/button.tsx'
import { Buttons, Card, Group } from '#web/ui/form.tsx'
import { lazy } from '#web/ui/lazy.tsx'
import { showToast } from '#web/ui/toasts/toasts.ts'
import { RulesEditor } from './rules-editor.tsx'
import { UserFields } from './user-fields.tsx'
import { UserSessions } from './user-sessions.tsx'
import { createUser, deleteUser, loadUser, newUser, updateUser } from './users-state.ts'

const DeleteUserDialog = lazy(async () => (await import('#web/app/chunks/later-dialogs.ts')).DeleteUserDialog)

interface UserPageProps {
  /** Undefined: a new user. */
  id?: number
}

/** Creates or edits one user. If the user cannot be loaded, redirects to the page for a new user. */
export function UserPage({ id }: UserPageProps) {
  const { t } = useLingui()
  const { card, group } = useSettingTexts()
  const [draft, setDraft] = useState<UserDraft>()
  const [homeScope, setHomeScope] = useState<string>()
  const [busy, setBusy] = useState(false)
  const [task, setTask] = useState<Promise<boolean>>()
  const [refused, setRefused] = useState<ApiProblem>()
  const isNew = id === undefined
  const title = isNew ? t`New user` : (draft?.username ?? '')
  const markSaved = useUnsavedChanges({ name: title, draft, save })
  useEffect(() => {
    if (id !== undefined) loadUser(id).then(setDraft, () => navigateTo(paths.newUser, { replace: true }))
    else
      newUser().then(
        (user) => {
          setHomeScope(user.homeScope)
          setDraft(user.draft)
        },
        (error: unknown) => showToast('error', problemMessage(error)),
      )
  }, [id])
  if (!draft) return null
  const change = (part: Partial<UserDraft>) => {
    setDraft((now) => now && { ...now, ...part })
    setRefused(undefined)
  }
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const address = await saved()
    if (address && isNew) navigateTo(address)
    return address !== undefined
  }
  return (
    <>
      <FormWithErrors
        refused={refused}
        onSubmit={(event) => setTask(submit(event))}
        onChange={() => setRefused(undefined)}
      >
        <Card {...card('user.fields')} {...(!isNew && { title: t`Edit ${draft.username}` })}>
          <UserFields draft={draft} onChange={change} isNew={isNew} homeScope={homeScope} />
          <Group {...group('user.rules')}>
            <RulesEditor where="user" rules={draft.rules} onChange={(rules) => change({ rules })} />
          </Group>
          <Buttons>
            {id !== undefined && (
              <Button variant="danger" icon={Trash2} label={t`Delete`} onClick={() => remove(id)} />
            )}
            <Button type="submit" variant="main" label={t`Save`} isInactive={busy} task={task} />
          </Buttons>
        </Card>
      </FormWithErrors>
      {id !== undefined && <UserSessions id={id} />}
    </>
  )

  /** Saves the user. Returns the address of the user's page, or undefined if saving failed. */
  async function saved(): Promise<string | undefined> {
    if (!draft) return undefined
    setBusy(true)
    setRefused(undefined)
    let address: string = paths.users
    const isDone = await submitForm(
      isNew ? t`User created!` : t`User updated!`,
      async (proof) => {
        if (!isNew) return updateUser(id, draft, proof)
        address = (await createUser(draft, proof)) || address
      },
      setRefused,
    )
    setBusy(false)
    if (!isDone) return undefined
    markSaved({ ...draft, password: '' })
    change({ password: '' })
    return address
  }

  async function save(): Promise<boolean> {
    return (await saved()) !== undefined
  }

  async function remove(id: number) {
    if (!(await ask(DeleteUserDialog, { username: draft?.username ?? '' }))) return
    if (!(await submitForm(t`User deleted!`, (proof) => deleteUser(id, proof)))) return
    markSaved(draft)
    navigateTo(paths.users)
  }
}
