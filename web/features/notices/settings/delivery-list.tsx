import { Plural, useLingui } from '@lingui/react/macro'
import { CircleAlert, CircleCheck, Clock } from 'lucide-react'
import { useId, useState } from 'react'
import type { Delivery } from '#contract/notices/webhook.ts'
import { api } from '#web/api/client.ts'
import { submitForm } from '#web/shared/forms/submit.ts'
import { Button } from '#web/ui/button.tsx'
import { Buttons, Group, Hint } from '#web/ui/form.tsx'
import { Time } from '#web/ui/format/time.tsx'
import { lineList, useMoreLines } from '#web/ui/line-list.tsx'
import { deliveryText, typeText } from './delivery-text.ts'
import styles from './notice-settings.module.css'

interface DeliveryListProps {
  /** The newest first, at most 50. */
  deliveries: readonly Delivery[]
  /** Whether the webhook is on. Otherwise nothing can be sent. */
  isOn: boolean
  /** Called when something is about to be sent. */
  onSend(): Promise<void>
}

const step = 5

/** What was sent to the webhook, with buttons that send a test, or something again. */
export function DeliveryList({ deliveries, isOn, onSend }: DeliveryListProps) {
  const { t } = useLingui()
  const [limit, setLimit] = useState(step)
  const shown = deliveries.slice(0, limit)
  const { ref, expectMore } = useMoreLines<HTMLUListElement>(shown.length)
  const send = (request: () => Promise<unknown>) =>
    submitForm(t`It is being sent.`, async () => {
      await request()
      await onSend()
    })
  return (
    <Group label={t`Last deliveries`}>
      {deliveries.length === 0 && <Hint>{t`Nothing was sent yet.`}</Hint>}
      <ul ref={ref} className={lineList.list}>
        {shown.map((delivery) => (
          <DeliveryLine
            key={delivery.id}
            delivery={delivery}
            isOn={isOn}
            onAgain={() =>
              send(() => api('POST /api/webhook/deliveries/:id', { params: { id: delivery.id } }))
            }
          />
        ))}
      </ul>
      <Buttons>
        {deliveries.length > limit && (
          <Button
            variant="quiet"
            label={t`Show more`}
            onClick={() => {
              expectMore()
              setLimit(limit + 3 * step)
            }}
          />
        )}
        <Button
          label={t`Send a test`}
          isInactive={!isOn}
          onClick={() => send(() => api('POST /api/webhook/test'))}
        />
      </Buttons>
    </Group>
  )
}

interface DeliveryLineProps {
  delivery: Delivery
  isOn: boolean
  onAgain(): Promise<boolean>
}

const icons = { waiting: Clock, done: CircleCheck, failed: CircleAlert }

function DeliveryLine({ delivery, isOn, onAgain }: DeliveryLineProps) {
  const { t } = useLingui()
  const id = useId()
  const { type, time, state, attempts } = delivery
  const Icon = icons[state]
  return (
    <li data-state={state} className={styles.delivery}>
      <Icon size={20} strokeWidth={1.8} aria-hidden />
      <div>
        <p id={id}>{typeText(type)}</p>
        <p className={lineList.detail}>
          <Time value={time} absolute={false} /> · {deliveryText(delivery)}
          {attempts > 1 && (
            <>
              {' · '}
              <Plural value={attempts} one="# attempt" other="# attempts" />
            </>
          )}
        </p>
      </div>
      {state !== 'waiting' && (
        <Button
          variant="quiet"
          label={t`Send again`}
          aria-describedby={id}
          isInactive={!isOn}
          onClick={onAgain}
        />
      )}
    </li>
  )
}
