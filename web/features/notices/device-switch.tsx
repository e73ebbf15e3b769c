import { useLingui } from '@lingui/react/macro'
import { useEffect } from 'react'
import { useSnapshot } from 'valtio'
import { Check } from '#web/ui/form.tsx'
import { device, refreshDevice, setDevice } from './device-notices.ts'

/** Whether this device shows notices while the page is hidden. Only a press of it asks for the permission. */
export function DeviceSwitch() {
  const { t } = useLingui()
  const { state } = useSnapshot(device)
  // The user may have changed the permission in the browser since.
  useEffect(refreshDevice, [])
  const help = {
    on: t`The system shows a notice that arrives while this page is in the background.`,
    off: t`The system shows a notice that arrives while this page is in the background.`,
    blocked: t`Your browser blocks notifications of this page. Allow them in its settings for this page.`,
    missing: t`This browser can't show notifications here. They need HTTPS, and on phones some browsers have none.`,
  }
  return (
    <Check
      label={t`Notify on this device`}
      help={help[state]}
      checked={state === 'on'}
      disabled={state === 'blocked' || state === 'missing'}
      onChange={(isOn) => void setDevice(isOn)}
    />
  )
}
