import { useLingui } from '@lingui/react/macro'
import { LogOut, Monitor } from 'lucide-react'
import { useEffect, useId, useRef } from 'react'
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
  const lines = useRef<HTMLUListElement>(null)
  /** The line whose button had the focus and went; none: undefined. */
  const gone = useRef<number>(undefined)
  useEffect(() => void loadSessions(), [])
  // biome-ignore lint/correctness/useExhaustiveDependencies: lines go when there are fewer.
  useEffect(() => {
    if (gone.current !== undefined) focusNear(lines.current, gone.current)
    gone.current = undefined
  }, [list.length])
  return (
    <Card title={t`Where you are signed in`}>
      <ul ref={lines} className={styles.list}>
        {list.map(({ id, device, address, lastUse, current }, at) => {
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
                  onClick={() => end(at, t`Signed out there.`, () => endSession(id))}
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
            onClick={() => end(0, t`Signed out everywhere else.`, endOthers)}
          />
        </Buttons>
      )}
    </Card>
  )

  async function end(at: number, success: string, task: () => Promise<void>) {
    gone.current = at
    if (!(await attempt(success, task))) gone.current = undefined
  }
}

/** Focuses the button of the line that is at `at` now, of the last line, or without any the heading above them. */
function focusNear(lines: HTMLElement | null, at: number): void {
  // Who has gone on elsewhere meanwhile stays there.
  if (document.activeElement !== document.body) return
  const all = [...(lines?.children ?? [])].map((line) => line.querySelector('button'))
  const heading = lines?.parentElement?.querySelector('h2')
  heading?.setAttribute('tabindex', '-1')
  const heir = all.slice(at).find((button) => button) ?? all.findLast((button) => button) ?? heading
  heir?.focus()
}
