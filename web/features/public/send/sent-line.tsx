import { Trans, useLingui } from '@lingui/react/macro'
import { Check, CircleAlert, Pause, Play, RotateCw, X } from 'lucide-react'
import { problemText } from '#web/api/problems/problem-text.ts'
import { nameOf } from '#web/shared/paths.ts'
import { Button } from '#web/ui/button.tsx'
import { FileIcon } from '#web/ui/file-icon.tsx'
import { formatPercent, formatSize } from '#web/ui/format/format.ts'
import { Name } from '#web/ui/name.tsx'
import styles from './send.module.css'
import { cancelSending, pauseSending, resumeSending, sendAgain } from './sending-state.ts'
import { isUnfinished, type SentFile } from './visit-state.ts'

interface SentLineProps {
  file: SentFile
  /** The largest size of a file; undefined: unlimited. */
  limit: number | undefined
}

/** One file: its progress or result, and its buttons. */
export function SentLine({ file, limit }: SentLineProps) {
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
          <p>{keepsProgress(file) ? <KeptProgress file={file} /> : <State file={file} limit={limit} />}</p>
        )}
        {received?.sha256 && <code dir="ltr">SHA-256 {received.sha256}</code>}
      </div>
      <LineButtons file={file} name={name} />
    </li>
  )
}

function Sign({ status, name }: Pick<SentFile, 'status'> & { name: string }) {
  if (status === 'done') return <Check size={20} className={styles.good} aria-hidden />
  if (status === 'failed') return <CircleAlert size={20} className={styles.bad} aria-hidden />
  return <FileIcon name={name} isDir={false} type="blob" />
}

/** Whether a stopped file keeps its progress. */
function keepsProgress({ status, inPieces, sent }: SentFile): boolean {
  return (status === 'paused' || status === 'waiting') && inPieces && sent > 0
}

function KeptProgress({ file: { size, sent } }: Pick<SentLineProps, 'file'>) {
  const { i18n } = useLingui()
  return (
    <Trans>
      {formatSize(sent, i18n.locale)} of {formatSize(size, i18n.locale)}
    </Trans>
  )
}

function State({ file: { status, size, code, received }, limit }: SentLineProps) {
  const { t, i18n } = useLingui()
  const most = formatSize(limit ?? 0, i18n.locale)
  if (status === 'waiting') return t`Waiting`
  if (status === 'cancelled') return t`Canceled`
  if (status === 'paused') return t`Paused. Will start over.`
  if (received?.held) return t`Received. It becomes visible when a virus scanner has examined it.`
  if (status !== 'failed') return formatSize(size, i18n.locale)
  if (code === 'file.unreadable') return t`This file can no longer be read on your device.`
  // The sentence for the code is about the server.
  if (code === 'request.large' && limit) return t`This file is larger than ${most}.`
  return i18n._(problemText(code ?? 'server.failed'))
}

function LineButtons({ file: { id, status }, name }: Pick<SentLineProps, 'file'> & { name: string }) {
  const { t } = useLingui()
  const common = { variant: 'quiet', iconOnly: true } as const
  if (status === 'done') return null
  if (!isUnfinished({ status }))
    return <Button {...common} icon={RotateCw} label={t`Try ${name} again`} onClick={() => sendAgain(id)} />
  return (
    <div className={styles.lineButtons}>
      {status === 'sending' && (
        <Button {...common} icon={Pause} label={t`Pause ${name}`} onClick={() => pauseSending(id)} />
      )}
      {status === 'paused' && (
        <Button {...common} icon={Play} label={t`Resume ${name}`} onClick={() => resumeSending(id)} />
      )}
      <Button {...common} icon={X} label={t`Cancel ${name}`} onClick={() => cancelSending(id)} />
    </div>
  )
}
