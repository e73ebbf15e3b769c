import { useLingui } from '@lingui/react/macro'
import { Copy } from 'lucide-react'
import { useId } from 'react'
import { api } from '#web/api/client.ts'
import { type AskProps, ask } from '#web/overlays/ask.ts'
import { LaterDialog, LaterDialogButtons, LaterDialogText } from '#web/overlays/later-dialog.tsx'
import { copyText } from '#web/shared/copy-text.ts'
import { submitForm } from '#web/shared/forms/submit.ts'
import { Button } from '#web/ui/button.tsx'
import { Group, Hint } from '#web/ui/form.tsx'
import { showToast } from '#web/ui/toasts/toasts.ts'
import styles from './notice-settings.module.css'

interface HookSecretProps {
  /** The secret that was just made; empty: it was made before, and it is not shown again. */
  secret: string
  onRenew(secret: string): void
}

/** The secret with which the receiver verifies what is sent: shown once, and replaced on demand. */
export function HookSecret({ secret, onRenew }: HookSecretProps) {
  const { t } = useLingui()
  const id = useId()
  const renew = async () => {
    if (!(await ask(RenewSecretDialog, {}))) return false
    return submitForm(t`New secret made.`, async () =>
      onRenew((await api('POST /api/webhook/secret')).secret),
    )
  }
  const copy = async () => {
    const isDone = await copyText(secret)
    if (isDone) showToast('success', t`Secret copied!`)
    else showToast('error', t`The secret couldn't be copied.`)
    return isDone
  }
  return (
    <Group label={t`Secret`}>
      {secret ? (
        <div className={styles.secret} role="status">
          <p id={id}>{t`Copy it now into your program. It is not shown again.`}</p>
          <code dir="ltr">{secret}</code>
          <Button icon={Copy} label={t`Copy secret`} onClick={copy} />
        </div>
      ) : (
        <div className={styles.line}>
          <Hint>{t`Your program verifies with it that a message comes from here. It was shown once.`}</Hint>
          <Button label={t`New secret`} onClick={renew} />
        </div>
      )}
    </Group>
  )
}

/** Asks before the secret is replaced. */
function RenewSecretDialog({ close }: AskProps<object, true>) {
  const { t } = useLingui()
  return (
    <LaterDialog title={t`Replace the secret?`} onClose={close}>
      <LaterDialogText>
        <p>{t`The old one stops working at once. Your program refuses all messages until it has the new one.`}</p>
      </LaterDialogText>
      <LaterDialogButtons>
        {/* Enter alone changes nothing. */}
        <Button label={t`Cancel`} onClick={() => close()} autoFocus />
        <Button variant="danger" label={t`Replace`} onClick={() => close(true)} />
      </LaterDialogButtons>
    </LaterDialog>
  )
}
