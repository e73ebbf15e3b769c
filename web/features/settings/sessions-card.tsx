import { useLingui } from '@lingui/react/macro'
import { useEffect } from 'react'
import { useSnapshot } from 'valtio'
import { SessionList } from '#web/shared/forms/session-list.tsx'
import { submitForm } from '#web/shared/forms/submit.ts'
import { useSettingTexts } from '#web/shared/settings/texts.ts'
import { Button } from '#web/ui/button.tsx'
import { Buttons, Card } from '#web/ui/form.tsx'
import { endOtherSessions, endSession, loadSessions, sessions } from './sessions-state.ts'

/** The user's sessions, with buttons to end them. */
export function SessionsCard() {
  const { t } = useLingui()
  const { list } = useSnapshot(sessions)
  useEffect(() => void loadSessions(), [])
  return (
    <Card {...useSettingTexts().card('profile.sessions')}>
      <SessionList
        list={list}
        onEnd={(id) => submitForm(t`Session signed out.`, (proof) => endSession(id, proof))}
      />
      {list.some(({ current }) => !current) && (
        <Buttons>
          <Button
            label={t`Sign out everywhere else`}
            onClick={() => submitForm(t`Signed out everywhere else.`, endOtherSessions)}
          />
        </Buttons>
      )}
    </Card>
  )
}
