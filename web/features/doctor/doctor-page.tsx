import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { RotateCw } from 'lucide-react'
import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react'
import { useSnapshot } from 'valtio'
import type { Finding } from '#contract/doctor.ts'
import { useSettingTexts } from '#web/shared/settings/texts.ts'
import { Button } from '#web/ui/button.tsx'
import { Card, Hint, Select } from '#web/ui/form.tsx'
import { lineList } from '#web/ui/line-list.tsx'
import styles from './doctor.module.css'
import { doctorState, runChecks } from './doctor-state.ts'
import { FindingLine, type ShownFinding } from './finding-line.tsx'

type Proxy = 'nginx' | 'caddy' | 'traefik'

const proxies: readonly (readonly [Proxy, string])[] = [
  ['nginx', 'nginx'],
  ['caddy', 'Caddy'],
  ['traefik', 'Traefik'],
]

const isProxy = (where: string) => proxies.some(([name]) => name === where)

/** The checks of the server, and of what is between it and this browser, for administrators. */
export function DoctorPage() {
  const { card } = useSettingTexts()
  const { t, i18n } = useLingui()
  const { findings, measured, serverFailure, connectionFailure } = useSnapshot(doctorState)
  const [proxy, setProxy] = useState<Proxy>('nginx')
  const running = useRef<AbortController>(undefined)
  const check = useCallback(() => {
    running.current?.abort()
    running.current = new AbortController()
    return runChecks(running.current.signal)
  }, [])
  useEffect(() => {
    void check()
    return () => running.current?.abort()
  }, [check])
  const server = findings?.map((finding) => ({ ...finding, lang: 'en' }))
  const connection = measured?.map((one) => ({ ...one, text: i18n._(one.text) }))
  const all = [...(server ?? []), ...(connection ?? [])]
  const hasProxyLines = all.some(({ lines }) => lines.some(({ where }) => isProxy(where)))
  const late = t`A measurement took too long and was stopped.`
  return (
    <>
      <Card {...card('doctor.check')}>
        <Hint>{t`Checks what often goes wrong in an installation, and shows what to change.`}</Hint>
        <Summary findings={all} isRunning={!server || !connection} />
        <div className={styles.tools}>
          {hasProxyLines && (
            <Select
              label={t`Reverse proxy`}
              choices={proxies}
              value={proxy}
              onChange={(value) => setProxy(value)}
            />
          )}
          <Button icon={RotateCw} label={t`Check again`} onClick={check} />
        </div>
      </Card>
      <Results {...card('doctor.connection')} findings={connection} proxy={proxy}>
        {connectionFailure && <p role="alert">{connectionFailure === 'late' ? late : connectionFailure}</p>}
      </Results>
      <Results {...card('doctor.server')} findings={server} proxy={proxy}>
        {serverFailure && <p role="alert">{serverFailure}</p>}
      </Results>
      <Card {...card('doctor.report')}>
        <Hint>
          <Trans>
            To report a fault, run <code dir="ltr">coffer doctor --bundle report.zip</code> on the server. The
            file contains versions, settings and the last lines of the log. Names, paths, addresses and
            passwords are removed.
          </Trans>
        </Hint>
      </Card>
    </>
  )
}

interface SummaryProps {
  findings: readonly Pick<Finding, 'level'>[]
  isRunning: boolean
}

/** How many faults there are. Screen readers announce it when the checks are complete. */
function Summary({ findings, isRunning }: SummaryProps) {
  const { t } = useLingui()
  const count = (level: Finding['level']) => findings.filter((finding) => finding.level === level).length
  const [errors, warnings] = [count('error'), count('warning')]
  const isFine = errors + warnings === 0
  return (
    <p role="status">
      {isRunning && t`Checking…`}
      {!isRunning && isFine && t`No problems found.`}
      {!isRunning && !isFine && (
        <>
          <Plural value={errors} one="# error" other="# errors" />
          {' · '}
          <Plural value={warnings} one="# warning" other="# warnings" />
        </>
      )}
    </p>
  )
}

interface ResultsProps {
  title: string
  'data-setting': string
  /** Undefined: the checks are running. */
  findings: readonly ShownFinding[] | undefined
  proxy: Proxy
  children: ReactNode
}

/** The findings of one kind. What is in order is folded. */
function Results({ findings, proxy, children, ...rest }: ResultsProps) {
  const { t } = useLingui()
  const bad = findings?.filter(({ level }) => level !== 'ok') ?? []
  const good = findings?.filter(({ level }) => level === 'ok') ?? []
  const isShown = (where: string) => !isProxy(where) || where === proxy
  const lines = (list: readonly ShownFinding[]) => (
    <ul className={lineList.list}>
      {list.map((finding) => (
        // Several findings may have the same id.
        <FindingLine key={`${finding.id} ${finding.text}`} finding={finding} isShown={isShown} />
      ))}
    </ul>
  )
  return (
    <Card {...rest}>
      {!findings && <Hint>{t`Checking…`}</Hint>}
      {children}
      {bad.length > 0 && lines(bad)}
      {good.length > 0 && (
        <details open={bad.length === 0} className={styles.good}>
          <summary>
            <Plural value={good.length} one="# check is in order" other="# checks are in order" />
          </summary>
          {lines(good)}
        </details>
      )}
    </Card>
  )
}
