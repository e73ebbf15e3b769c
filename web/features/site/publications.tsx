import { useLingui } from '@lingui/react/macro'
import { useEffect, useState } from 'react'
import type { Contract } from '#contract/index.ts'
import type { PublishRun, Schedule } from '#contract/publish.ts'
import type { Output as Reply } from '#contract/schema/endpoint.ts'
import { api } from '#web/api/client.ts'
import { codeOf, problemText } from '#web/api/problems/problem-text.ts'
import type { AskProps } from '#web/overlays/ask.ts'
import { announceChange } from '#web/shared/changes.ts'
import { nameOf, parentOf } from '#web/shared/paths.ts'
import { Button } from '#web/ui/button.tsx'
import { Dialog, DialogButtons } from '#web/ui/dialog.tsx'
import { formatDate } from '#web/ui/format/format.ts'
import { lineList, useLines } from '#web/ui/line-list.tsx'
import { Output } from './build-output.tsx'
import { formatSeconds } from './format-seconds.ts'
import dialog from './site-dialogs.module.css'

type Publications = Reply<Contract['GET /api/publish']>

/** The scheduled publications and the last runs; undefined until they are loaded. */
export function usePublications() {
  const { i18n } = useLingui()
  const [all, setAll] = useState<Publications>()
  const [error, setError] = useState<string>()
  const attempt = async (task: () => Promise<unknown>): Promise<boolean> => {
    try {
      await task()
      setAll(await api('GET /api/publish'))
      setError(undefined)
      return true
    } catch (reason) {
      setError(i18n._(problemText(codeOf(reason))))
      return false
    }
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: loads once; every change loads again.
  useEffect(() => void attempt(async () => {}), [])
  const cancel = ({ id, path }: Schedule) =>
    attempt(async () => {
      await api('DELETE /api/publish/*', { params: { '*': `/${id}` } })
      announceChange(parentOf(path))
    })
  return { all, error, cancel }
}

/** Shows what is scheduled, and the last publications with their output. */
export function PublicationsDialog({ close }: AskProps<object, never>) {
  const { t } = useLingui()
  const { all, error, cancel } = usePublications()
  return (
    <Dialog title={t`Scheduled and history`} isWide onClose={close}>
      {error && (
        <p role="alert" className={dialog.error}>
          {error}
        </p>
      )}
      {all && <ScheduledList scheduled={all.scheduled} onCancel={cancel} />}
      {all && (
        <section>
          <h3>{t`History`}</h3>
          {all.runs.length === 0 && <p className={dialog.note}>{t`Nothing has been published yet.`}</p>}
          <ul className={lineList.list}>
            {all.runs.map((run) => (
              <Run key={run.id} run={run} />
            ))}
          </ul>
        </section>
      )}
      <DialogButtons>
        <Button label={t`Close`} onClick={() => close()} autoFocus />
      </DialogButtons>
    </Dialog>
  )
}

interface ScheduledListProps {
  scheduled: readonly Schedule[]
  onCancel(schedule: Schedule): Promise<boolean>
}

/** The scheduled publications, each with a button that cancels it. */
export function ScheduledList({ scheduled, onCancel }: ScheduledListProps) {
  const { t, i18n } = useLingui()
  const { ref, removeLine } = useLines(scheduled.length)
  const cancelLabel = (name: string) => t`Cancel publishing ${name}`
  return (
    <section>
      <h3>{t`Scheduled`}</h3>
      {scheduled.length === 0 && <p className={dialog.note}>{t`Nothing is scheduled.`}</p>}
      <ul ref={ref} className={lineList.list}>
        {scheduled.map((schedule, at) => (
          <li key={schedule.id}>
            <div>
              <Subject path={schedule.path} />
              <p className={lineList.detail}>
                {formatDate(Date.parse(schedule.at), i18n.locale)} · <bdi>{schedule.username}</bdi>
              </p>
            </div>
            <Button
              label={t`Cancel`}
              aria-label={cancelLabel(nameOf(schedule.path) || t`Whole website`)}
              onClick={() => removeLine(at, () => onCancel(schedule))}
            />
          </li>
        ))}
      </ul>
    </section>
  )
}

/** What was published: the name of a file, with its path in the tooltip, or the whole website. */
function Subject({ path }: { path: string }) {
  const { t } = useLingui()
  const name = nameOf(path)
  return <p data-tip={path}>{name ? <bdi>{name}</bdi> : t`Whole website`}</p>
}

function Run({ run }: { run: PublishRun }) {
  const { t, i18n } = useLingui()
  const { outcome, started, duration, late, output, username, path } = run
  const outcomes = { published: t`Published`, failed: t`Failed`, refused: t`Refused` }
  const due = late && formatDate(Date.parse(late), i18n.locale)
  return (
    <li className={dialog.run}>
      <div>
        <Subject path={path} />
        <p className={lineList.detail}>
          {formatDate(Date.parse(started), i18n.locale)} · {formatSeconds(duration)} · <bdi>{username}</bdi>
        </p>
        {due && <p className={lineList.detail}>{t`Late: it was scheduled for ${due}.`}</p>}
        {output.trim() && (
          <details>
            <summary>{t`Output`}</summary>
            <Output text={output} />
          </details>
        )}
      </div>
      <p className={dialog.outcome} data-outcome={outcome}>
        {outcomes[outcome]}
      </p>
    </li>
  )
}
