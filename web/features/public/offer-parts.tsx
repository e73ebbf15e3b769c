import { Plural, useLingui } from '@lingui/react/macro'
import { addressOf } from '#web/api/client.ts'
import { publicPath, shareToken } from '#web/api/link-address.ts'
import type { Share } from '#web/api/origin.ts'
import styles from './public-page.module.css'

interface OfferPartProps {
  link: Share
}

/** The picture at the top of the page of a share. Nothing, if there is none. */
export function Cover({ link }: OfferPartProps) {
  if (!link.offer?.hasCover) return null
  const address = addressOf('/api/public/cover/*', publicPath(link, ''), shareToken(link))
  // It only decorates the page. If it cannot be loaded, nothing is missing.
  return <img className={styles.cover} src={address} alt="" draggable={false} data-part="cover" />
}

/** Who has sent the share. Nothing, if the sender gave no name. */
export function Sender({ link }: OfferPartProps) {
  const { t } = useLingui()
  const name = link.offer?.from
  return name ? <span>{t`Sent by ${name}`}</span> : null
}

/** How many downloads are left. Nothing, if their number is not limited. */
export function DownloadsLeft({ link }: OfferPartProps) {
  const left = link.offer?.downloadsLeft
  if (left === undefined) return null
  return (
    <span className={styles.left}>
      <Plural value={left} _0="All downloads are used" one="# download left" other="# downloads left" />
    </span>
  )
}
