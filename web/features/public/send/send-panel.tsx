import { useLingui } from '@lingui/react/macro'
import { type RefObject, useEffect, useRef, useState } from 'react'
import { useSnapshot } from 'valtio'
import type { Share } from '#web/api/origin.ts'
import type { UploadRequest } from '#web/api/uploads/gather.ts'
import { nameError } from '#web/shared/names/name-rule.ts'
import { Field } from '#web/ui/field.tsx'
import { Limits } from './limits.tsx'
import styles from './send.module.css'
import { SendZone } from './send-zone.tsx'
import { continueUnlocked, send, showVisit } from './sending-state.ts'
import { SentFiles } from './sent-files.tsx'
import { isUnfinished, sending } from './visit-state.ts'

interface SendPanelProps {
  link: Share
  /** Where the files go: a decoded path in the share, with a slash at its end. */
  folder: string
  /** Above a list of files: takes less room. */
  isCompact?: boolean
  onArrived(): void
}

/** Where visitors send files: a place to drop or choose them, the limits, and the files of this visit. */
export function SendPanel({ link, folder, isCompact, onArrived }: SendPanelProps) {
  const { t, i18n } = useLingui()
  const { askName, filesLeft, maxFileSize } = link.offer ?? {}
  const [name, setName] = useState('')
  const [isMissing, setMissing] = useState(false)
  const nameField = useRef<HTMLInputElement>(null)
  useEffect(() => showVisit(link), [link])
  // Each answer of an open share brings another offer.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only this change counts.
  useEffect(continueUnlocked, [link.offer])
  useArrivals(onArrived)
  useLeaveWarning()
  const problem = nameError(name.trim())
  const isUsedUp = filesLeft === 0 || maxFileSize === 0
  /** Without the name, the server refuses everything. */
  const isReady = () => {
    if (!askName || (name.trim() && !problem)) return true
    setMissing(true)
    nameField.current?.focus()
    return false
  }
  const add = (requests: readonly UploadRequest[]) =>
    send(askName ? `${folder}${name.trim()}/` : folder, requests)
  return (
    <section className={styles.panel} aria-label={t`Send files`} data-compact={isCompact || undefined}>
      {isUsedUp ? (
        <p className={styles.usedUp}>{t`No more files can be sent with this link.`}</p>
      ) : (
        <>
          {askName && (
            <NameField
              field={nameField}
              name={name}
              error={
                problem ? i18n._(problem) : isMissing && !name.trim() ? t`Enter your name first.` : undefined
              }
              onChange={setName}
            />
          )}
          <SendZone isCompact={isCompact} types={link.offer?.types} isReady={isReady} onFiles={add}>
            <Limits offer={link.offer} />
          </SendZone>
        </>
      )}
      <SentFiles link={link} />
    </section>
  )
}

interface NameFieldProps {
  field: RefObject<HTMLInputElement | null>
  name: string
  error: string | undefined
  onChange(name: string): void
}

function NameField({ field, name, error, onChange }: NameFieldProps) {
  const { t } = useLingui()
  return (
    <Field
      ref={field}
      label={t`Your name`}
      autoComplete="name"
      maxLength={100}
      required
      value={name}
      error={error}
      onChange={(event) => onChange(event.target.value)}
    />
  )
}

/** Calls `onArrived` when more files have arrived and nothing is being sent. */
function useArrivals(onArrived: () => void): void {
  const { files, hold } = useSnapshot(sending)
  // Paused files may stay so for long.
  const isActive = files.some(({ status }) => status === 'sending' || (status === 'waiting' && !hold))
  const tried = files.filter(({ status, body }) => body && (status === 'done' || status === 'failed')).length
  const before = useRef(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: only these changes count.
  useEffect(() => {
    if (isActive || tried <= before.current) return
    before.current = tried
    onArrived()
  }, [isActive, tried])
}

/** Asks before the page is closed while files are being sent. */
function useLeaveWarning(): void {
  const { files } = useSnapshot(sending)
  const isActive = files.some(isUnfinished)
  useEffect(() => {
    if (!isActive) return
    const warn = (event: BeforeUnloadEvent) => event.preventDefault()
    addEventListener('beforeunload', warn)
    return () => removeEventListener('beforeunload', warn)
  }, [isActive])
}
