import { useLingui } from '@lingui/react/macro'
import { useEffect, useState } from 'react'
import type { WebhookView } from '#contract/notices/webhook.ts'
import { api } from '#web/api/client.ts'
import { onUnreadChange } from '#web/shared/live/live-changes.ts'
import { useSettingTexts } from '#web/shared/settings/texts.ts'
import { Card, Warning } from '#web/ui/form.tsx'
import { DeliveryList } from './delivery-list.tsx'
import { HookForm } from './hook-form.tsx'
import { HookSecret } from './hook-secret.tsx'
import { NotLoaded } from './not-loaded.tsx'
import { useLoaded } from './use-loaded.ts'

const request = () => api('GET /api/webhook')

/** The list is asked again so often while a delivery is about to be sent, in milliseconds, and so many times. */
const againMs = 1000
const mostAgain = 20
/** A delivery whose next attempt is later than this is not waited for, in milliseconds. */
const soonMs = 15_000

/** The webhook of the user: its address, its secret, and what was sent to it. */
export function WebhookCard() {
  const { card } = useSettingTexts()
  const { value, failure, setValue, load } = useLoaded(request)
  const [secret, setSecret] = useState('')
  // A notice is also sent to the webhook.
  useEffect(() => onUnreadChange(() => void load()), [load])
  useAnswers(value, load)
  const change = (next: WebhookView) => {
    setValue(next)
    // Without the webhook there is no secret. A change of the address keeps it.
    if (next.secret || !next.url) setSecret(next.secret ?? '')
  }
  return (
    <Card {...card('profile.webhook')}>
      {value ? (
        <>
          <Fault of={value.fault} />
          <HookForm key={value.url} webhook={value} onChange={change} />
          {value.url && <HookSecret secret={secret} onRenew={setSecret} />}
          {value.url && <DeliveryList deliveries={value.deliveries} isOn={value.enabled} onSend={load} />}
        </>
      ) : (
        <NotLoaded failure={failure} onRetry={load} />
      )}
    </Card>
  )
}

/** Asks for the result of deliveries that are about to be sent. Each new list with such a delivery starts anew. */
function useAnswers(webhook: WebhookView | undefined, load: () => Promise<void>): void {
  const [asked, setAsked] = useState({ of: '', times: 0 })
  const soon = (webhook?.deliveries ?? [])
    .filter(({ next }) => next !== undefined && Date.parse(next) - Date.now() < soonMs)
    .map(({ id, attempts }) => `${id} ${attempts}`)
    .join()
  useEffect(() => {
    if (!soon || !webhook) return
    const times = asked.of === soon ? asked.times : 0
    if (times >= mostAgain) return
    const timer = setTimeout(() => {
      setAsked({ of: soon, times: times + 1 })
      void load()
    }, againMs)
    return () => clearTimeout(timer)
  }, [webhook, soon, asked, load])
}

/** Says why the server has turned the webhook off. */
function Fault({ of: fault }: { of: WebhookView['fault'] }) {
  const { t } = useLingui()
  if (!fault) return null
  return (
    <Warning>
      {fault === 'gone'
        ? t`The webhook was turned off, because the address has answered that it is gone (410).`
        : t`The webhook was turned off, because no delivery has succeeded for about three days.`}
    </Warning>
  )
}
