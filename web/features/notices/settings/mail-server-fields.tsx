import { useLingui } from '@lingui/react/macro'
import { useState } from 'react'
import type { MailSettings, MailSettingsView } from '#contract/notices/mail.ts'
import { useSettingTexts } from '#web/shared/settings/texts.ts'
import { Field } from '#web/ui/field.tsx'
import { PasswordField } from '#web/ui/fields/password-field.tsx'
import { Select, Warning } from '#web/ui/form.tsx'
import styles from './notice-settings.module.css'

type Draft = MailSettings & { password: string }

interface MailServerFieldsProps {
  stored: MailSettingsView
  draft: Draft
  onChange(change: Partial<Draft>): void
}

/** The usual port of each kind of encryption. */
const ports = { tls: 465, starttls: 587, none: 25 }

/** The fields of the mail server. The password is never shown. */
export function MailServerFields({ stored, draft, onChange }: MailServerFieldsProps) {
  const { t } = useLingui()
  const { field } = useSettingTexts()
  const { host, port, security, user, password } = draft
  // As on the server: a password is never sent to a server for which it was not entered.
  const isOther = host.trim() !== stored.host || port !== stored.port || user !== stored.user
  const isForgotten = stored.hasPassword && isOther && user !== ''
  const plain = { autoComplete: 'off', autoCapitalize: 'none', spellCheck: false, dir: 'ltr' } as const
  const text = (
    name: 'host' | 'user' | 'from' | 'url',
    key: Parameters<typeof field>[0],
    maxLength: number,
  ) => (
    <Field
      {...field(key)}
      {...plain}
      valuePath={name}
      maxLength={maxLength}
      required={name === 'from' && host.trim() !== ''}
      value={draft[name]}
      onChange={(event) => onChange({ [name]: event.target.value })}
    />
  )
  const secure = (next: MailSettings['security']) =>
    onChange({ security: next, ...(port === ports[security] && { port: ports[next] }) })
  return (
    <>
      {text('host', 'global.mailHost', 253)}
      <div className={styles.pair}>
        <Select
          {...field('global.mailSecurity')}
          value={security}
          onChange={secure}
          choices={[
            ['tls', t`TLS`],
            ['starttls', t`STARTTLS`],
            ['none', t`None`],
          ]}
        />
        <PortField {...field('global.mailPort')} port={port} onPort={(next) => onChange({ port: next })} />
      </div>
      {security === 'none' && (
        <Warning>{t`Without encryption, others in the network can read the password and all messages.`}</Warning>
      )}
      {text('user', 'global.mailUser', 256)}
      <PasswordField
        {...field('global.mailPassword')}
        valuePath="password"
        autoComplete="new-password"
        maxLength={1024}
        help={passwordHelp()}
        value={password}
        onChange={(event) => onChange({ password: event.target.value })}
      />
      {text('from', 'global.mailFrom', 254)}
      {text('url', 'global.mailUrl', 2048)}
    </>
  )

  function passwordHelp(): string {
    if (isForgotten)
      return t`Enter it again: the saved one is only for the server, port and username that were saved with it.`
    return stored.hasPassword
      ? t`A password is saved. Empty: it stays.`
      : t`It is stored, and never shown again.`
  }
}

interface PortFieldProps {
  label: string
  help: string | undefined
  'data-setting': string
  port: number
  onPort(port: number): void
}

/** A port. An empty field is not saved: the browser asks for a value. */
function PortField({ port, onPort, ...rest }: PortFieldProps) {
  const [isEmpty, setEmpty] = useState(false)
  return (
    <Field
      {...rest}
      type="number"
      min={1}
      max={65_535}
      required
      valuePath="port"
      value={isEmpty ? '' : port}
      onChange={({ target: { valueAsNumber } }) => {
        setEmpty(Number.isNaN(valueAsNumber))
        if (!Number.isNaN(valueAsNumber)) onPort(valueAsNumber)
      }}
    />
  )
}
