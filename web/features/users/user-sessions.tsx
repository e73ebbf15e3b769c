import { useLingui } from '@lingui/react/macro'
import { LogOut } from 'lucide-react'
import { useCallback, useEffect, useState } from 'react'
import type { SessionView } from '#contract/auth.ts'
import { problemMessage } from '#web/api/problems/problem-text.ts'
import { SessionList } from '#web/shared/forms/session-list.tsx'
import { submitForm } from '#web/shared/forms/submit.ts'
import { useSettingTexts } from '#web/shared/settings/texts.ts'
import { Button } from '#web/ui/button.tsx'
import { Buttons, Card, Hint } from '#web/ui/form.tsx'
import { showToast } from '#web/ui/toasts/toasts.ts'
import { endAllSessionsOf, endSessionOf, loadSessionsOf } from './users-state.ts'

interface UserSessionsProps {
  id: number
}

/** The sessions of a user. Administrators can end one or all of them. */
export function UserSessions({ id }: UserSessionsProps) {
  const { t } = useLingui()
  const { card } = useSettingTexts()
  const [list, setList] = useState<readonly SessionView[]>()
  const load = useCallback(
    () => loadSessionsOf(id).then(setList, (error: unknown) => showToast('error', problemMessage(error))),
    [id],
  )
  useEffect(() => void load(), [load])
  const end = async (session: string) => {
    const isDone = await submitForm(t`Session signed out.`, (proof) => endSessionOf(id, session, proof))
    if (isDone) await load()
    return isDone
  }
  const endAll = async () => {
    const isDone = await submitForm(t`Signed out everywhere.`, (proof) => endAllSessionsOf(id, proof))
    if (isDone) await load()
    return isDone
  }
  if (!list) return null
  return (
    <Card {...card('user.sessions')}>
      <SessionList list={list} onEnd={end} />
      {list.length === 0 && <Hint>{t`This user is not signed in anywhere.`}</Hint>}
      {/* Also ends sessions that began after the list was loaded. */}
      <Buttons>
        <Button icon={LogOut} label={t`Sign out everywhere`} onClick={endAll} />
      </Buttons>
    </Card>
  )
}
