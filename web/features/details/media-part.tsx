import { useLingui } from '@lingui/react/macro'
import { Copy } from 'lucide-react'
import type { FileMetadata } from '#contract/metadata.ts'
import type { Item } from '#contract/resources.ts'
import { copyText } from '#web/shared/copy-text.ts'
import { Button } from '#web/ui/button.tsx'
import { formatNumber } from '#web/ui/format/format.ts'
import { showToast } from '#web/ui/toasts/toasts.ts'
import styles from './details.module.css'
import { DescriptionEntry } from './fact.tsx'
import { mediaFacts } from './media/media-facts.ts'
import { Part } from './parts.tsx'

interface MediaPartProps {
  item: Item
  about: FileMetadata
}

/** What a photo, music or a video tells about itself. Nothing for a file that tells nothing. */
export function MediaPart({ item, about }: MediaPartProps) {
  const { t } = useLingui()
  const titles: Partial<Record<Item['type'], string>> = { image: t`Photo`, audio: t`Music`, video: t`Video` }
  const facts = mediaFacts(item, about)
  const { latitude, longitude, altitudeMeters } = about
  const hasPlace = latitude !== undefined && longitude !== undefined
  if (facts.length === 0 && !hasPlace) return null
  return (
    <Part title={titles[item.type] ?? ''} isOpenAtFirst>
      <dl className={styles.facts}>
        {facts.map(({ name, text, isLeftToRight }) => (
          <DescriptionEntry key={name} name={name}>
            <bdi dir={isLeftToRight ? 'ltr' : 'auto'}>{text}</bdi>
          </DescriptionEntry>
        ))}
        {hasPlace && <Place latitude={latitude} longitude={longitude} altitude={altitudeMeters} />}
      </dl>
    </Part>
  )
}

interface PlaceProps {
  /** Degrees, positive in the north and in the east. */
  latitude: number
  longitude: number
  /** Metres above the sea. */
  altitude: number | undefined
}

/** Where a photo was taken. The coordinates can be copied into any map: the page shows none, because maps are elsewhere. */
function Place({ latitude, longitude, altitude }: PlaceProps) {
  const { t, i18n } = useLingui()
  // Maps understand this form in every language. Five digits are one metre.
  const text = `${latitude.toFixed(5)}, ${longitude.toFixed(5)}`
  const copy = async () => {
    const isDone = await copyText(text)
    if (isDone) showToast('success', t`Copied!`)
    else showToast('error', t`The text couldn't be copied.`)
    return isDone
  }
  return (
    <>
      <DescriptionEntry name={t`Place`}>
        <span className={styles.place}>
          <bdi dir="ltr">{text}</bdi>
          <Button variant="quiet" icon={Copy} iconOnly label={t`Copy coordinates`} onClick={copy} />
        </span>
      </DescriptionEntry>
      {altitude !== undefined && (
        <DescriptionEntry name={t`Altitude`}>
          <bdi dir="ltr">{`${formatNumber(Math.round(altitude), i18n.locale)} m`}</bdi>
        </DescriptionEntry>
      )}
    </>
  )
}
