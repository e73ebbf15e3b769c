import { Trans, useLingui } from '@lingui/react/macro'
import { type FormEvent, useState } from 'react'
import type { NoticeSettings } from '#contract/notices/notices.ts'
import { type ApiProblem, api } from '#web/api/client.ts'
import { FormWithErrors } from '#web/shared/forms/form-errors.tsx'
import { submitForm } from '#web/shared/forms/submit.ts'
import { PageLink } from '#web/shared/page-link.tsx'
import { paths } from '#web/shared/paths.ts'
import { useSettingTexts } from '#web/shared/settings/texts.ts'
import { Button } from '#web/ui/button.tsx'
import { Field } from '#web/ui/field.tsx'
import { Buttons, Card, Hint } from '#web/ui/form.tsx'
import { CodeForm } from './code-form.tsx'
import { NotLoaded } from './not-loaded.tsx'
import styles from './notice-settings.module.css'
import { useLoaded } from './use-loaded.ts'

interface AddressCardProps {
  isAdmin: boolean
}

const request = () => api('GET /api/notices/settings')

/** Sets the address of the user. @throws ApiProblem `mail.address`, `mail.off`, `request.limited` … */
const setAddress = (address: string) => api('PUT /api/notices/settings', { body: { address } })

/** The e-mail address to which notices are sent: none, waiting for its code, or confirmed. */
export function AddressCard({ isAdmin }: AddressCardProps) {
  const { card } = useSettingTexts()
  const { value, failure, setValue, load } = useLoaded(request)
  return (
    <Card {...card('profile.mail')}>
      {value ? (
        <Address settings={value} isAdmin={isAdmin} onChange={setValue} />
      ) : (
        <NotLoaded failure={failure} onRetry={load} />
      )}
    </Card>
  )
}

interface AddressProps extends AddressCardProps {
  settings: NoticeSettings
  onChange(settings: NoticeSettings): void
}

function Address({ settings, isAdmin, onChange }: AddressProps) {
  const { t } = useLingui()
  const { canMail, address, unconfirmed } = settings
  // A form for another address, instead of what is stored.
  const [isAsking, setAsking] = useState(false)
  const remove = () => submitForm(t`Address removed.`, async () => onChange(await setAddress('')))
  const sent = (next: NoticeSettings) => {
    onChange(next)
    setAsking(false)
  }
  const known = address !== undefined && (
    <p className={styles.known}>
      <Trans>
        Notices are sent to <bdi>{address}</bdi>.
      </Trans>
    </p>
  )
  const removal = address !== undefined && <Button label={t`Remove`} onClick={remove} />
  if (!canMail) {
    return (
      <>
        <MailOff isAdmin={isAdmin} />
        {known}
        {removal && <Buttons>{removal}</Buttons>}
      </>
    )
  }
  if (isAsking || (address === undefined && unconfirmed === undefined)) {
    const hasAddress = address !== undefined || unconfirmed !== undefined
    return <AddressForm onSent={sent} onCancel={hasAddress ? () => setAsking(false) : undefined} />
  }
  return (
    <>
      {known}
      {unconfirmed === undefined ? (
        <Buttons>
          {removal}
          <Button label={t`Change`} onClick={() => setAsking(true)} />
        </Buttons>
      ) : (
        <CodeForm
          address={unconfirmed}
          onConfirmed={onChange}
          onAgain={async () => onChange(await setAddress(unconfirmed))}
          onOther={() => setAsking(true)}
          onRemove={remove}
        />
      )}
    </>
  )
}

/** Says why there are no e-mails, and to administrators where that is changed. */
function MailOff({ isAdmin }: AddressCardProps) {
  const { t } = useLingui()
  if (!isAdmin) return <Hint>{t`This server sends no e-mails. Ask an administrator to set them up.`}</Hint>
  return (
    <Hint>
      {t`This server sends no e-mails yet.`}{' '}
      <PageLink to={`${paths.global}#global.mail`} className={styles.link}>
        {t`Set up a mail server`}
      </PageLink>
    </Hint>
  )
}

interface AddressFormProps {
  onSent(settings: NoticeSettings): void
  /** Undefined: there is nothing else to show. */
  onCancel: (() => void) | undefined
}

/** Sends a code to a new address. */
function AddressForm({ onSent, onCancel }: AddressFormProps) {
  const { t } = useLingui()
  const { field } = useSettingTexts()
  const [address, setAddressText] = useState('')
  const [refused, setRefused] = useState<ApiProblem>()
  const [task, setTask] = useState<Promise<boolean>>()
  const send = (event: FormEvent) => {
    event.preventDefault()
    setRefused(undefined)
    setTask(submitForm(t`Code sent.`, async () => onSent(await setAddress(address)), setRefused))
  }
  return (
    <FormWithErrors refused={refused} onSubmit={send} onChange={() => setRefused(undefined)}>
      <Field
        {...field('profile.mailAddress')}
        // Not of the type e-mail: the server also accepts addresses that browsers refuse.
        inputMode="email"
        autoComplete="email"
        autoCapitalize="none"
        spellCheck={false}
        dir="ltr"
        valuePath="address"
        maxLength={254}
        required
        value={address}
        onChange={(event) => setAddressText(event.target.value)}
      />
      <Buttons>
        {onCancel && <Button label={t`Cancel`} onClick={onCancel} />}
        <Button type="submit" variant="main" label={t`Send code`} task={task} />
      </Buttons>
    </FormWithErrors>
  )
}
