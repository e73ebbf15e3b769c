import { useLingui } from '@lingui/react/macro'
import { LogOut, Monitor } from 'lucide-react'
import { useId } from 'react'
import type { SessionView } from '#contract/auth.ts'
import { Button } from '#web/ui/button.tsx'
import { Time } from '#web/ui/format/time.tsx'
import { lineList, useLines } from '#web/ui/line-list.tsx'
import { deviceName } from './device-name.ts'

interface SessionListProps {
  list: readonly SessionView[]
  /** Ends a session. Returns whether it succeeded. */
  onEnd(id: string): Promise<boolean>
}

/** Sessions of a user, with a button to end each one except the current session. */
export function SessionList({ list, onEnd }: SessionListProps) {
  const { t } = useLingui()
  const prefix = useId()
  const { ref, removeLine } = useLines(list.length)
  return (
    <ul ref={ref} className={lineList.list}>
      {list.map(({ id, device, address, lastUse, current }, at) => {
        const name = deviceName(device) || t`Unknown device`
        return (
          <li key={id} aria-label={name}>
            <Monitor size={20} strokeWidth={1.8} aria-hidden />
            <div>
              <p id={`${prefix}${id}d`} data-tip={device}>
                {name}
              </p>
              <p className={lineList.detail}>
                <bdi>{address}</bdi> · {current ? t`this session` : <Time value={lastUse} absolute={false} />}
              </p>
            </div>
            {!current && (
              <Button
                id={`${prefix}${id}b`}
                // Includes the device, because all buttons have the same text.
                aria-labelledby={`${prefix}${id}b ${prefix}${id}d`}
                icon={LogOut}
                label={t`Sign out`}
                onClick={() => removeLine(at, () => onEnd(id))}
              />
            )}
          </li>
        )
      })}
    </ul>
  )
}
