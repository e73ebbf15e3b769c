import { Plural, useLingui } from '@lingui/react/macro'
import { Check, CircleAlert, Copy, RotateCw, X } from 'lucide-react'
import { useSnapshot } from 'valtio'
import type { Share } from '#web/api/origin.ts'
import { problemText } from '#web/api/problems/problem-text.ts'
import { copyText } from '#web/shared/copy-text.ts'
import { nameOf } from '#web/shared/paths.ts'
import { Button } from '#web/ui/button.tsx'
import { FileIcon } from '#web/ui/file-icon.tsx'
import { formatPercent, formatSize } from '#web/ui/format/format.ts'
import { Name } from '#web/ui/name.tsx'
import { showToast } from '#web/ui/toasts/toasts.ts'
import { receiptText } from './receipt-text.ts'
import styles from './send.module.css'
import { cancelSending, sendAgain } from './sending-state.ts'
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
            {active.length > 0 ? (
              <Plural value={active.length} one="Sending # file" other="Sending # files" />
            ) : (
              <Plural value={arrived.length} one="# file sent" other="# files sent" />
            )}
          </h2>
        </div>
        {active.length === 0 && arrived.length > 0 && (
          <Button variant="quiet" icon={Copy} label={t`Copy receipt`} onClick={copy} />
        )}
      </header>
      <ul>
        {files.map((file) => (
          <SentLine key={file.id} file={file} limit={link.offer?.maxFileSize} />
        ))}
      </ul>
    </section>
  )
}

interface SentLineProps {
  file: SentFile
  /** The largest size of a file; undefined: unlimited. */
  limit: number | undefined
}

function SentLine({ file, limit }: SentLineProps) {
  const { i18n } = useLingui()
  const { path, size, sent, status, received } = file
  const name = nameOf(received?.path ?? path)
  const share = size > 0 ? sent / size : 0
  return (
    <li data-status={status}>
      <Sign status={status} name={name} />
      <div className={styles.text}>
        <div className={styles.name} data-full={(received?.path ?? path).slice(1)}>
          <Name name={name} />
        </div>
        {status === 'sending' ? (
          <div className={styles.bar}>
            <progress value={share} aria-label={name} />
            <span aria-hidden>{formatPercent(Math.floor(share * 100) / 100, i18n.locale)}</span>
          </div>
        ) : (
          <p>
            <State file={file} limit={limit} />
          </p>
        )}
        {received && <code dir="ltr">SHA-256 {received.sha256}</code>}
      </div>
      <LineButton file={file} name={name} />
    </li>
  )
}

function Sign({ status, name }: Pick<SentFile, 'status'> & { name: string }) {
  if (status === 'done') return <Check size={20} className={styles.good} aria-hidden />
  if (status === 'failed') return <CircleAlert size={20} className={styles.bad} aria-hidden />
  return <FileIcon name={name} isDir={false} type="blob" />
}

function State({ file: { status, size, code, received }, limit }: SentLineProps) {
  const { t, i18n } = useLingui()
  const most = formatSize(limit ?? 0, i18n.locale)
  if (status === 'waiting') return t`Waiting`
  if (status === 'cancelled') return t`Canceled`
  if (received?.held) return t`Received. It becomes visible when a virus scanner has examined it.`
  if (status !== 'failed') return formatSize(size, i18n.locale)
  // The sentence for the code is about the server.
  if (code === 'request.large' && limit) return t`This file is larger than ${most}.`
  return i18n._(problemText(code ?? 'server.failed'))
}

function LineButton({ file: { id, status }, name }: Pick<SentLineProps, 'file'> & { name: string }) {
  const { t } = useLingui()
  const common = { variant: 'quiet', iconOnly: true } as const
  if (isUnfinished({ status }))
    return <Button {...common} icon={X} label={t`Cancel ${name}`} onClick={() => cancelSending(id)} />
  if (status === 'done') return null
  return <Button {...common} icon={RotateCw} label={t`Try ${name} again`} onClick={() => sendAgain(id)} />
}
