import { useLingui } from '@lingui/react/macro'
import { LogOut, Monitor } from 'lucide-react'
import { useEffect, useId } from 'react'
import { useSnapshot } from 'valtio'
import { attempt } from '#web/app/attempt.ts'
import { Button } from '#web/ui/button.tsx'
import { Buttons, Card } from '#web/ui/form.tsx'
import { Time } from '#web/ui/time.tsx'
import { deviceName } from './device-name.ts'
import styles from './sessions-card.module.css'
import { endOthers, endSession, loadSessions, sessions } from './sessions-state.ts'

/** Where the person is signed in, and a way to end it there. */
export function SessionsCard() {
  const { t } = useLingui()
  const { list } = useSnapshot(sessions)
  const prefix = useId()
  useEffect(() => void loadSessions(), [])
  return (
    <Card title={t`Where you are signed in`}>
      <ul className={styles.list}>
        {list.map(({ id, device, address, lastUse, current }) => {
          const name = deviceName(device) || t`Unknown device`
          return (
            <li key={id} aria-label={name}>
              <Monitor size={20} strokeWidth={1.8} aria-hidden />
              <div>
                <p id={`${prefix}${id}d`} title={device}>
                  {name}
                </p>
                <p className={styles.detail}>
                  <bdi>{address}</bdi> ·{' '}
                  {current ? t`this session` : <Time value={lastUse} absolute={false} />}
                </p>
              </div>
              {!current && (
                <Button
                  id={`${prefix}${id}b`}
                  // What it does, and where: the words are the same in every line.
                  aria-labelledby={`${prefix}${id}b ${prefix}${id}d`}
                  icon={LogOut}
                  label={t`Sign out`}
                  onClick={() => attempt(t`Signed out there.`, () => endSession(id))}
                />
              )}
            </li>
          )
        })}
      </ul>
      {list.some(({ current }) => !current) && (
        <Buttons>
          <Button
            label={t`Sign out everywhere else`}
            onClick={() => attempt(t`Signed out everywhere else.`, endOthers)}
          />
        </Buttons>
      )}
    </Card>
  )
}
