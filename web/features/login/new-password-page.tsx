import { Trans, useLingui } from '@lingui/react/macro'
import { useState } from 'react'
import type { TokenUser } from '#contract/users.ts'
import { api, renew } from '#web/api/client.ts'
import { withPassword } from '#web/shared/forms/submit.ts'
import { session, signOut } from '#web/shared/session.ts'
import { Button } from '#web/ui/button.tsx'
import { FormCard } from './card.tsx'
import { PasswordPair } from './password-pair.tsx'
import { allSentences, type Refusals, refusalsOf } from './refusals.ts'

interface NewPasswordPageProps {
  user: Pick<TokenUser, 'id' | 'username'>
}

/** Asks a user whose password was made up for another one. Until then the server refuses everything else. */
export function NewPasswordPage({ user: { id, username } }: NewPasswordPageProps) {
  const { t } = useLingui()
  const [refusals, setRefusals] = useState<Refusals>({})
  const [isBusy, setBusy] = useState(false)

  async function submit(form: HTMLFormElement) {
    const values = new FormData(form)
    const password = String(values.get('password'))
    if (password !== values.get('confirm')) return setRefusals({ confirm: t`Passwords don't match` })
    setBusy(true)
    setRefusals({})
    try {
      await withPassword((proof) =>
        api('PUT /api/users/:id', {
          params: { id },
          body: { what: 'user', which: ['password'], data: { id, password }, ...proof },
        }),
      )
    } catch (error) {
      await allSentences()
      setBusy(false)
      return setRefusals(refusalsOf(error))
    }
    await renew()
    // The page continues even if the renewal was lost. The next response asks for it again.
    if (session.user) delete session.user.mustChangePassword
  }

  return (
    <FormCard
      title={t`Choose a new password`}
      refusals={refusals}
      label={t`Save and continue`}
      isBusy={isBusy}
      onSubmit={submit}
      footer={<Button variant="quiet" label={t`Sign out`} onClick={signOut} />}
    >
      <p>
        <Trans>
          You are signed in as <bdi>{username}</bdi>. Your password was generated, so replace it with one of
          your own before you continue.
        </Trans>
      </p>
      {/* Lets password managers know the user of this password. */}
      <input hidden readOnly autoComplete="username" value={username} />
      <PasswordPair error={refusals.password} isDifferent={refusals.confirm !== undefined} autoFocus />
    </FormCard>
  )
}
