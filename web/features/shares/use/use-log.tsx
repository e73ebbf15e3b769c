import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Download, Eye, Upload } from 'lucide-react'
import { Fragment, type ReactNode } from 'react'
import type { ShareLogEntry } from '#contract/history/share-use.ts'
import { api } from '#web/api/client.ts'
import { usePages } from '#web/shared/pages/use-pages.ts'
import { Button } from '#web/ui/button.tsx'
import { Buttons } from '#web/ui/form.tsx'
import { formatDate, formatSize } from '#web/ui/format/format.ts'
import { shownName } from '#web/ui/format/shown-name.ts'
import { lineList, useMoreLines } from '#web/ui/line-list.tsx'
import styles from './link-use.module.css'

const pageSize = 20

interface UseLogProps {
  /** The id of the link. */
  hash: string
}

/** What has happened at a link, the newest first. */
export function UseLog({ hash }: UseLogProps) {
  const { t } = useLingui()
  const { items: entries, next, failure, isLoading, more } = useEntries(hash)
  const { ref, expectMore } = useMoreLines<HTMLUListElement>(entries?.length ?? 0)
  const showMore = () => {
    expectMore()
    return more()
  }
  return (
    <>
      {entries?.length === 0 && <p className={lineList.detail}>{t`Nothing is recorded.`}</p>}
      {entries && entries.length > 0 && (
        <ul ref={ref} className={`${lineList.list} ${styles.log}`} aria-label={t`What has happened`}>
          {entries.map((entry) => (
            <LogLine key={entry.seq} entry={entry} />
          ))}
        </ul>
      )}
      {failure && <p role="alert">{failure}</p>}
      {!entries && !failure && <p role="status">{t`Loading…`}</p>}
      {(next !== undefined || failure) && (
        <Buttons>
          <Button label={failure ? t`Try again` : t`Show more`} isInactive={isLoading} onClick={showMore} />
        </Buttons>
      )}
    </>
  )
}

interface LogLineProps {
  entry: ShareLogEntry
}

const icons = { visit: Eye, download: Download, received: Upload }

function LogLine({ entry }: LogLineProps) {
  const { t, i18n } = useLingui()
  const { kind, time, address, path, bytes, isWhole, count, sender } = entry
  const Icon = icons[kind]
  const names = { visit: t`Opened`, download: t`Downloaded`, received: t`Received` }
  const date = formatDate(Date.parse(time), i18n.locale)
  const facts: readonly (readonly [string, ReactNode])[] = [
    ['count', count > 1 && <Plural key="count" value={count} one="# time" other="# times" />],
    ['end', !isWhole && t`Interrupted`],
    ['size', kind !== 'visit' && formatSize(bytes, i18n.locale)],
    ['address', address ? <bdi key="address">{address}</bdi> : t`Many visitors`],
    [
      'time',
      <time key="time" dateTime={time}>
        {date}
      </time>,
    ],
  ]
  return (
    <li>
      <Icon size={20} strokeWidth={1.8} aria-hidden />
      <div>
        <p>
          {names[kind]} {path !== '/' && <bdi>{shownName(path)}</bdi>}
          {sender && (
            <>
              {' '}
              <Trans>
                from <bdi>{sender}</bdi>
              </Trans>
            </>
          )}
        </p>
        <p className={lineList.detail}>
          {facts
            .filter(([, fact]) => fact)
            .map(([key, fact], at) => (
              <Fragment key={key}>
                {at > 0 && ' · '}
                <bdi>{fact}</bdi>
              </Fragment>
            ))}
        </p>
      </div>
    </li>
  )
}

function useEntries(hash: string) {
  return usePages<ShareLogEntry>(hash, async (before, options) => {
    const query = { limit: pageSize, ...(before !== undefined && { before }) }
    const page = await api('GET /api/shares/:hash/log', { params: { hash }, query }, options)
    return { items: page.entries, next: page.next }
  })
}
