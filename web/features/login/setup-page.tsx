import { useLingui } from '@lingui/react/macro'
import { useState } from 'react'
import { api, connection } from '#web/api/client.ts'
import { codeOf } from '#web/api/problems/problem-text.ts'
import { page } from '#web/shared/page.ts'
import { href, paths } from '#web/shared/paths.ts'
import { session } from '#web/shared/session.ts'
import { Field } from '#web/ui/field.tsx'
import { FormCard } from './card.tsx'
import styles from './login-page.module.css'
import { PasswordPair } from './password-pair.tsx'
import { allSentences, type Refusals, refusalsOf } from './refusals.ts'

/** Creates the first administrator, with the code that the server has printed. */
export function SetupPage() {
  const { t } = useLingui()
  const [refusals, setRefusals] = useState<Refusals>({})
  const [isDone, setDone] = useState(false)
  const [isBusy, setBusy] = useState(false)

  async function submit(form: HTMLFormElement) {
    const values = new FormData(form)
    const text = (name: string) => String(values.get(name))
    if (text('password') !== text('confirm')) return setRefusals({ confirm: t`Passwords don't match` })
    setBusy(true)
    setRefusals({})
    try {
      const body = { code: text('code'), username: text('username'), password: text('password') }
      const token = await api('POST /api/setup', { body })
      page.Setup = ''
      // Signs in. The address is still that of this page, from which signed-in users are redirected.
      connection.onToken(token)
      // A proxy may have answered with a page of its own.
      setDone(!session.user)
    } catch (error) {
      await allSentences()
      setBusy(false)
      setDone(codeOf(error) === 'request.unknown')
      setRefusals(refusalsOf(error))
    }
  }

  // A new load, because the settings of this page are those from before the set-up.
  if (isDone) return <DoneCard />
  return (
    <FormCard
      title={t`Set up ${page.Name}`}
      refusals={refusals}
      label={t`Create the administrator`}
      isBusy={isBusy}
      onSubmit={submit}
    >
      <p>{t`This server has no administrator yet. Enter the code from its log. Each start prints a new one.`}</p>
      <Field
        label={t`Code`}
        name="code"
        autoComplete="one-time-code"
        autoCapitalize="characters"
        spellCheck={false}
        maxLength={64}
        dir="ltr"
        className={styles.code}
        error={refusals.code}
        autoFocus
        required
      />
      <Field
        label={t`Username`}
        name="username"
        defaultValue={page.Setup}
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
        error={refusals.username}
        required
      />
      <PasswordPair error={refusals.password} isDifferent={refusals.confirm !== undefined} />
    </FormCard>
  )
}

/** Says that someone else has set up the server. */
function DoneCard() {
  const { t } = useLingui()
  return (
    <FormCard
      title={t`Set up ${page.Name}`}
      refusals={{ form: t`This server has been set up already.` }}
      label={t`Sign in`}
      isBusy={false}
      onSubmit={async () => location.assign(href(paths.login()))}
    >
      {null}
    </FormCard>
  )
}
