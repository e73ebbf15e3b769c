import { Plural, useLingui } from '@lingui/react/macro'
import { Copy, Pause, Play } from 'lucide-react'
import { useSnapshot } from 'valtio'
import type { Share } from '#web/api/origin.ts'
import { copyText } from '#web/shared/copy-text.ts'
import { Button } from '#web/ui/button.tsx'
import { showToast } from '#web/ui/toasts/toasts.ts'
import { receiptText } from './receipt-text.ts'
import styles from './send.module.css'
import { continueSending, holdSending, resumeAll } from './sending-state.ts'
import { SentLine } from './sent-line.tsx'
import { isUnfinished, type SentFile, sending } from './visit-state.ts'

interface SentFilesProps {
  link: Share
}

/** The files of this visit: their progress, and at the end the receipt. */
export function SentFiles({ link }: SentFilesProps) {
  const { t } = useLingui()
  const files = useSnapshot(sending).files as readonly SentFile[]
  if (files.length === 0) return null
  const active = files.filter(isUnfinished)
  const arrived = files.flatMap(({ received }) => received ?? [])
  const copy = async () => {
    const isDone = await copyText(receiptText(arrived, link.offer?.title ?? location.href))
    if (isDone) showToast('success', t`Receipt copied!`)
    else showToast('error', t`The receipt couldn't be copied.`)
    return isDone
  }
  return (
    <section className={styles.sent} aria-label={t`Files that you have sent`}>
      <header>
        <div role="status">
          <h2>
            <Heading />
          </h2>
        </div>
        <PauseButton />
        {active.length === 0 && arrived.length > 0 && (
          <Button variant="quiet" icon={Copy} label={t`Copy receipt`} onClick={copy} />
        )}
      </header>
      <Held />
      <ul>
        {files.map((file) => (
          <SentLine key={file.id} file={file} limit={link.offer?.maxFileSize} />
        ))}
      </ul>
    </section>
  )
}

/** What happens to the files, or what has happened to them. */
function Heading() {
  const { files, hold } = useSnapshot(sending)
  const active = files.filter(isUnfinished)
  if (active.length === 0) {
    const arrived = files.filter(({ received }) => received)
    return <Plural value={arrived.length} one="# file sent" other="# files sent" />
  }
  const paused = active.length
  const isPaused = hold || active.every(({ status }) => status === 'paused')
  if (isPaused && !active.some(({ status }) => status === 'sending'))
    return <Plural value={paused} one="# upload paused" other="# uploads paused" />
  return <Plural value={active.length} one="Sending # file" other="Sending # files" />
}

/** Pauses or resumes all files. */
function PauseButton() {
  const { t } = useLingui()
  const { files, hold } = useSnapshot(sending)
  const has = (wanted: SentFile['status']) => files.some(({ status }) => status === wanted)
  const common = { variant: 'quiet', iconOnly: true } as const
  if (!hold && has('sending'))
    return (
      <Button {...common} icon={Pause} label={t`Pause all uploads`} onClick={() => holdSending('paused')} />
    )
  if (hold !== 'paused' && !(has('paused') && !hold)) return null
  return <Button {...common} icon={Play} label={t`Resume all uploads`} onClick={resumeAll} />
}

/** Why nothing is sent, and what the visitor can do. */
function Held() {
  const { t } = useLingui()
  const { hold, files } = useSnapshot(sending)
  // Files in pieces keep their progress, which each line shows.
  const keepsAllProgress = hold === 'paused' && files.every((file) => file.inPieces || !isUnfinished(file))
  if (!hold || keepsAllProgress) return null
  const reasons = {
    paused: t`Paused. Files in progress will start over.`,
    offline: t`Can't reach the server. The uploads will continue when it's back.`,
    locked: t`The uploads will continue when the password is entered again.`,
  }
  return (
    <div className={styles.held} role="status">
      <p>{reasons[hold]}</p>
      {hold === 'offline' && <Button variant="quiet" label={t`Try now`} onClick={continueSending} />}
    </div>
  )
}
