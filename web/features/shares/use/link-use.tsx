import { Trans, useLingui } from '@lingui/react/macro'
import { useEffect, useState } from 'react'
import type { ShareDay } from '#contract/history/share-use.ts'
import type { ShareView } from '#contract/shares.ts'
import { api } from '#web/api/client.ts'
import { problemMessage } from '#web/api/problems/problem-text.ts'
import { Button } from '#web/ui/button.tsx'
import { formatDate, formatNumber, formatSize } from '#web/ui/format/format.ts'
import { lineList } from '#web/ui/line-list.tsx'
import styles from './link-use.module.css'
import { type Measure, UseChart } from './use-chart.tsx'
import { UseLog } from './use-log.tsx'

interface LinkUseProps {
  link: ShareView
}

/** How a link was used: its counts, a chart of the last 90 days, and what has happened. */
export function LinkUse({ link }: LinkUseProps) {
  const { t, i18n } = useLingui()
  const { hash, used } = link
  const [measure, setMeasure] = useState<Measure>('visits')
  const { days, failure, retry } = useDays(hash)
  const last = used.last && formatDate(Date.parse(used.last), i18n.locale)
  const size = formatSize(used.bytes, i18n.locale)
  const measures: readonly (readonly [Measure, string])[] = [
    ['visits', t`Visits`],
    ['downloads', t`Downloads`],
    ['files', t`Received files`],
  ]
  return (
    <div className={styles.use} data-part="link-use">
      <fieldset className={styles.counts}>
        <legend className="visually-hidden">{t`Shown in the chart`}</legend>
        {measures.map(([name, label]) => (
          <label key={name} className={styles.count}>
            <input
              type="radio"
              name={`measure ${hash}`}
              className="visually-hidden"
              checked={measure === name}
              onChange={() => setMeasure(name)}
            />
            <strong>{formatNumber(used[name], i18n.locale)}</strong>
            <span>{label}</span>
          </label>
        ))}
      </fieldset>
      <p className={lineList.detail}>
        {last ? <Trans>Last used: {last}</Trans> : t`This link has not been used yet.`}
        {used.files > 0 && (
          <>
            {' · '}
            <Trans>{size} received</Trans>
          </>
        )}
      </p>
      {failure && (
        <p role="alert">
          {failure} <Button label={t`Try again`} onClick={retry} />
        </p>
      )}
      {!days && !failure && <p role="status">{t`Loading…`}</p>}
      {days && used.last !== undefined && (
        <UseChart
          days={days}
          measure={measure}
          label={measures.find(([name]) => name === measure)?.[1] ?? ''}
        />
      )}
      <UseLog hash={hash} />
    </div>
  )
}

/** The counts of the last days. */
function useDays(hash: string) {
  const [state, setState] = useState<{ days?: readonly ShareDay[]; failure?: string }>({})
  const [attempt, setAttempt] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new attempt loads again.
  useEffect(() => {
    const controller = new AbortController()
    const { signal } = controller
    api('GET /api/shares/:hash/days', { params: { hash } }, { signal }).then(
      (days) => setState({ days }),
      (error) => signal.aborted || setState({ failure: problemMessage(error) }),
    )
    return () => controller.abort()
  }, [hash, attempt])
  const retry = () => {
    setState({})
    setAttempt(attempt + 1)
  }
  return { ...state, retry }
}
