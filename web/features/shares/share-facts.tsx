import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Fragment, type ReactNode } from 'react'
import type { ShareView } from '#contract/shares.ts'
import { formatDate, formatRelative } from '#web/ui/format/format.ts'
import { gives, receives, rightsName } from './form/rights.ts'

interface ShareFactsProps {
  link: ShareView
  /** Facts that come first, by their keys. */
  before?: readonly (readonly [key: string, fact: ReactNode])[]
}

/** What a link allows and its state in words, separated by dots. */
export function ShareFacts({ link, before = [] }: ShareFactsProps) {
  const { t, i18n } = useLingui()
  const now = Date.now()
  const starts = Date.parse(link.starts ?? '') || 0
  const start = formatDate(starts, i18n.locale)
  const end = formatRelative(link.expire * 1000, now, i18n.locale)
  const facts: (readonly [string, ReactNode])[] = [
    ...before,
    ['rights', i18n._(rightsName(link.rights))],
    ['paused', link.paused && t`Paused`],
    ['start', starts > now && t`Starts ${start}`],
    ['downloads', <Downloads key="downloads" link={link} />],
    ['files', <Files key="files" link={link} />],
    ['end', link.expire * 1000 > now && t`Ends ${end}`],
  ]
  const shown = facts.filter(
    ([key, fact]) =>
      fact && (key !== 'downloads' || hasDownloads(link)) && (key !== 'files' || hasFiles(link)),
  )
  return shown.map(([key, fact], at) => (
    <Fragment key={key}>
      {at > 0 && ' · '}
      <bdi>{fact}</bdi>
    </Fragment>
  ))
}

const hasDownloads = ({ rights, maxDownloads, used }: ShareView) =>
  gives(rights) && (maxDownloads !== undefined || used.downloads > 0)

const hasFiles = ({ rights, used }: ShareView) => receives(rights) || used.files > 0

function Downloads({ link: { maxDownloads, used } }: Pick<ShareFactsProps, 'link'>) {
  if (maxDownloads === undefined)
    return <Plural value={used.downloads} one="# download" other="# downloads" />
  return (
    <Trans>
      {used.downloads} of <Plural value={maxDownloads} one="# download" other="# downloads" />
    </Trans>
  )
}

function Files({ link: { maxFiles, used } }: Pick<ShareFactsProps, 'link'>) {
  if (maxFiles === undefined)
    return <Plural value={used.files} one="# file received" other="# files received" />
  return (
    <Trans>
      {used.files} of <Plural value={maxFiles} one="# file received" other="# files received" />
    </Trans>
  )
}
