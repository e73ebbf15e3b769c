import { useLingui } from '@lingui/react/macro'
import { Lock, QrCode as QrSign, Trash2 } from 'lucide-react'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import type { ShareView } from '#contract/shares.ts'
import { codeOf, problemText } from '#web/api/problems/problem-text.ts'
import type { AskProps } from '#web/overlays/ask.ts'
import { session } from '#web/shared/session.ts'
import { Button } from '#web/ui/button.tsx'
import { Dialog, DialogButtons } from '#web/ui/dialog.tsx'
import { Field } from '#web/ui/field.tsx'
import { PasswordField } from '#web/ui/fields/password-field.tsx'
import { Select } from '#web/ui/form.tsx'
import { formatDate } from '#web/ui/format/format.ts'
import { shownName } from '#web/ui/format/shown-name.ts'
import { QrCode } from '#web/ui/qr-code.tsx'
import { showToast } from '#web/ui/toasts/toasts.ts'
import { CopyLink } from './copy-link.tsx'
import { dayOf, expiryOf, type Lifetime } from './lifetime.ts'
import styles from './share-dialog.module.css'
import { addressOfShare, createShare, deleteShare, type NewShare, sharesOf } from './share-state.ts'

/** The latest last day, from now on. The server accepts at most 2^31 - 1 seconds. */
const longestMs = 50 * 365 * 86_400_000

interface Question {
  name: string
  /** Decoded. */
  path: string
}

/** Lists the shares of one file or folder and creates new ones. */
export function ShareDialog({ question, close }: AskProps<Question, never>) {
  const { t, i18n } = useLingui()
  const { path } = question
  const name = shownName(question.name)
  const [links, setLinks] = useState<readonly ShareView[]>()
  const [error, setError] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const [created, setCreated] = useState<string>()
  /** Counts the requests for the list. A slow answer must not hide what was created since. */
  const requests = useRef(0)
  const load = async () => {
    const number = ++requests.current
    const now = await sharesOf(path)
    if (number !== requests.current) return
    setLinks(now)
    setError(undefined)
  }
  const fail = (reason: unknown) => {
    setError(i18n._(problemText(codeOf(reason))))
    setLinks((before) => before ?? [])
  }
  const attempt = (task: () => Promise<void>, done?: string) => {
    setBusy(true)
    return task()
      .then(() => {
        if (done) showToast('success', done)
        return load()
      })
      .catch(fail)
      .finally(() => setBusy(false))
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: loads the shares once; every change reloads them.
  useEffect(() => {
    // The form can be used meanwhile.
    load().catch(fail)
  }, [path])
  return (
    <Dialog title={t`Share “${name}”`} onClose={close}>
      {links && links.length > 0 && (
        <ul className={styles.links}>
          {links.map((link) => (
            <Link
              key={link.hash}
              link={link}
              isNew={link.hash === created}
              onEnd={() => attempt(() => deleteShare(link.hash), t`Link deleted.`)}
            />
          ))}
        </ul>
      )}
      {error && (
        <p role="alert" className={styles.error}>
          {error}
        </p>
      )}
      <NewLink
        isBusy={isBusy}
        hasPermanent={links?.some(isOwnPermanent) ?? false}
        isLoaded={links !== undefined}
        onCreate={(wish) => attempt(async () => setCreated(await createShare(path, wish)))}
      />
      <DialogButtons>
        <Button label={t`Close`} onClick={() => close()} />
      </DialogButtons>
    </Dialog>
  )
}

function isOwnPermanent({ expire, hasPassword, userID }: ShareView): boolean {
  return expire === 0 && !hasPassword && userID === session.user?.id
}

interface LinkProps {
  link: ShareView
  /** It was just created: copying it is the likely next step. */
  isNew: boolean
  onEnd(): void
}

function Link({ link: { hash, expire, hasPassword }, isNew, onEnd }: LinkProps) {
  const { t, i18n } = useLingui()
  const [showsQr, setQr] = useState(false)
  const address = addressOfShare(hash)
  const until = formatDate(expire * 1000, i18n.locale)
  return (
    <li>
      <div className={styles.link}>
        <p>
          {hasPassword && <Lock size={16} role="img" aria-label={t`Password-protected`} />}
          <a href={address} target="_blank" rel="noopener">
            {expire === 0 ? t`Permanent link` : t`Expires ${until}`}
          </a>
        </p>
        <CopyLink hash={hash} autoFocus={isNew} />
        <Button
          variant="quiet"
          icon={QrSign}
          iconOnly
          label={t`QR code`}
          aria-expanded={showsQr}
          onClick={() => setQr(!showsQr)}
        />
        <Button variant="quiet" icon={Trash2} iconOnly label={t`Delete link`} onClick={onEnd} />
      </div>
      {showsQr && <QrCode text={address} label={t`QR code for the link`} />}
    </li>
  )
}

interface NewLinkProps {
  /** A request is running. A second press would create a second share. */
  isBusy: boolean
  /** The user already has a permanent share without a password. The server would return it again. */
  hasPermanent: boolean
  /** Whether the existing shares are known. */
  isLoaded: boolean
  onCreate(wish: NewShare): void
}

function NewLink({ isBusy, hasPermanent, isLoaded, onCreate }: NewLinkProps) {
  const { t } = useLingui()
  const [lifetime, setLifetime] = useState<Lifetime>('never')
  const [lastDay, setLastDay] = useState('')
  const [password, setPassword] = useState('')
  const [, render] = useState({})
  const expiry = expiryOf(lifetime, lastDay)
  // While a year is typed, browsers pass on years such as 0002.
  const isOver = lifetime === 'date' && lastDay > '1000' && !expiry
  const isKnown = lifetime === 'never' && !password && hasPermanent
  const isReady = !isBusy && expiry !== undefined && !isKnown && (isLoaded || lifetime !== 'never')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    // The dialog may have been open for a while: the rest of a day is shorter, or the day is over.
    const now = expiryOf(lifetime, lastDay)
    if (!now) return render({})
    if (!isReady) return
    onCreate({ ...now, ...(password && { password }) })
    setPassword('')
  }
  const lifetimes: readonly (readonly [Lifetime, string])[] = [
    ['never', t`Never`],
    ['hour', t`In 1 hour`],
    ['day', t`In 1 day`],
    ['week', t`In 7 days`],
    ['month', t`In 30 days`],
    ['date', t`On a date`],
  ]
  return (
    <form onSubmit={submit} className={styles.form}>
      <div className={styles.time}>
        <Select<Lifetime>
          label={t`Expires`}
          value={lifetime}
          choices={lifetimes}
          help={isKnown ? t`A permanent link already exists. A second one needs a password.` : undefined}
          onChange={setLifetime}
          autoFocus
        />
        {lifetime === 'date' && (
          <Field
            type="date"
            label={t`Last day`}
            min={dayOf(Date.now())}
            max={dayOf(Date.now() + longestMs)}
            required
            value={lastDay}
            error={isOver ? t`This day is over. Choose a later one.` : undefined}
            onChange={(event) => setLastDay(event.target.value)}
          />
        )}
      </div>
      <PasswordField
        label={t`Password (optional)`}
        value={password}
        onChange={(event) => setPassword(event.target.value)}
        autoComplete="new-password"
        maxLength={1024}
      />
      <div className={styles.create}>
        <Button type="submit" variant="main" label={t`Create link`} isInactive={!isReady} />
      </div>
    </form>
  )
}
