import { Plural, useLingui } from '@lingui/react/macro'
import type { ShareOffer } from '#contract/shares.ts'
import { formatDate, formatSize } from '#web/ui/format/format.ts'
import styles from './send.module.css'

/** The limits of what may be sent, in words. Nothing, if there are none. */
export function Limits({ offer = { rights: 'upload' } }: { offer: ShareOffer | undefined }) {
  const { t, i18n } = useLingui()
  const { types, maxFileSize, filesLeft, ends } = offer
  const list = types?.join(', ')
  const size = formatSize(maxFileSize ?? 0, i18n.locale)
  const end = ends === undefined ? '' : formatDate(Date.parse(ends), i18n.locale)
  const lines = [
    list && (
      <span key="types">
        {t`Accepted types:`} <bdi dir="ltr">{list}</bdi>
      </span>
    ),
    maxFileSize !== undefined && <span key="size">{t`Up to ${size} per file`}</span>,
    filesLeft !== undefined && (
      <span key="files">
        <Plural value={filesLeft} one="# more file can be sent" other="# more files can be sent" />
      </span>
    ),
    end && <span key="end">{t`Open until ${end}`}</span>,
  ].filter(Boolean)
  if (lines.length === 0) return null
  return <p className={styles.limits}>{lines}</p>
}
