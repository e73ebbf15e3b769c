import { useLingui } from '@lingui/react/macro'
import { type FormEvent, useId, useState } from 'react'
import { api } from '#web/api/client.ts'
import { codeOf, problemText } from '#web/api/problems/problem-text.ts'
import type { AskProps } from '#web/overlays/ask.ts'
import { announceChange } from '#web/shared/changes.ts'
import { nameOf, parentOf } from '#web/shared/paths.ts'
import { Button } from '#web/ui/button.tsx'
import { Dialog, DialogButtons } from '#web/ui/dialog.tsx'
import { Field } from '#web/ui/field.tsx'
import { Hint } from '#web/ui/form.tsx'
import { formatDate } from '#web/ui/format/format.ts'
import { shownName } from '#web/ui/format/shown-name.ts'
import { showToast } from '#web/ui/toasts/toasts.ts'
import { clockOf, dayOf, timeOf, toRfc3339, zoneText } from './local-time.ts'
import { ScheduledList, usePublications } from './publications.tsx'
import dialog from './site-dialogs.module.css'

const hourMs = 3_600_000

interface Question {
  /** Decoded. */
  path: string
}

/** Asks when to publish a file, next to what is scheduled already. */
export function ScheduleDialog({ question: { path }, close }: AskProps<Question, true>) {
  const { t, i18n } = useLingui()
  const zoneId = useId()
  const name = shownName(nameOf(path))
  const { all, error: listError, cancel } = usePublications()
  const [[date, clock], setTime] = useState(() => {
    const nextHour = new Date(Math.ceil((Date.now() + 1) / hourMs) * hourMs)
    return [dayOf(nextHour), clockOf(nextHour)] as const
  })
  const [error, setError] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const at = timeOf(date, clock)
  const zone = zoneText(at ?? new Date(), i18n.locale)
  const change = (nextDate: string, nextClock: string) => {
    setTime([nextDate, nextClock])
    setError(undefined)
  }

  async function submit(event: FormEvent) {
    event.preventDefault()
    if (!at || isBusy) return
    if (at.getTime() <= Date.now()) return setError(i18n._(problemText('site.time')))
    setBusy(true)
    try {
      await api('POST /api/publish/*', { params: { '*': path }, query: { at: toRfc3339(at) } })
      announceChange(parentOf(path))
      const time = formatDate(at.getTime(), i18n.locale)
      showToast('success', t`Scheduled for ${time}.`)
      close(true)
    } catch (reason) {
      setError(i18n._(problemText(codeOf(reason))))
      setBusy(false)
    }
  }

  return (
    <Dialog title={t`Schedule “${name}”`} onClose={close}>
      <form onSubmit={submit} className={dialog.form}>
        <div className={dialog.pair}>
          <Field
            type="date"
            label={t`Date`}
            value={date}
            min={dayOf(new Date())}
            required
            aria-describedby={zoneId}
            onChange={(event) => change(event.target.value, clock)}
            autoFocus
          />
          <Field
            type="time"
            label={t`Time`}
            value={clock}
            required
            aria-describedby={zoneId}
            onChange={(event) => change(date, event.target.value)}
          />
        </div>
        {error && (
          <p role="alert" className={dialog.error}>
            {error}
          </p>
        )}
        <Hint id={zoneId}>{t`Time zone: ${zone}`}</Hint>
        <DialogButtons>
          <Button label={t`Close`} onClick={() => close()} />
          <Button type="submit" variant="main" label={t`Schedule`} disabled={!at || isBusy} />
        </DialogButtons>
      </form>
      {listError && (
        <p role="alert" className={dialog.error}>
          {listError}
        </p>
      )}
      {all && all.scheduled.length > 0 && <ScheduledList scheduled={all.scheduled} onCancel={cancel} />}
    </Dialog>
  )
}
