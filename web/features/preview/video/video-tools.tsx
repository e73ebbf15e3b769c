import { useLingui } from '@lingui/react/macro'
import { PictureInPicture2 } from 'lucide-react'
import { type RefObject, useEffect, useState } from 'react'
import { Button } from '#web/ui/button.tsx'
import { regionalTag } from '#web/ui/format/region.ts'
import { speeds } from './video-keys.ts'
import styles from './video-tools.module.css'

interface VideoToolsProps {
  video: RefObject<HTMLVideoElement | null>
}

/** The speed, and a small window that stays above other windows. */
export function VideoTools({ video }: VideoToolsProps) {
  const { t, i18n } = useLingui()
  const [speed, setSpeed] = useState(1)
  useEffect(() => {
    const { current } = video
    const follow = () => setSpeed(current?.playbackRate ?? 1)
    current?.addEventListener('ratechange', follow)
    return () => current?.removeEventListener('ratechange', follow)
  }, [video])
  const format = new Intl.NumberFormat(regionalTag(i18n.locale))
  return (
    <div className={styles.tools} data-fades>
      <select
        aria-label={t`Speed`}
        data-tip=""
        aria-keyshortcuts="< >"
        value={speed}
        onChange={({ target }) => {
          if (video.current) video.current.playbackRate = Number(target.value)
          // The keys of the video work again.
          video.current?.focus({ preventScroll: true })
        }}
      >
        {speeds.map((one) => (
          <option key={one} value={one}>{`${format.format(one)}×`}</option>
        ))}
      </select>
      {document.pictureInPictureEnabled && (
        <Button
          variant="quiet"
          icon={PictureInPicture2}
          iconOnly
          label={t`Picture in picture`}
          onClick={() => togglePicture(video.current)}
        />
      )}
    </div>
  )
}

async function togglePicture(video: HTMLVideoElement | null): Promise<void> {
  // The browser may refuse, for example before the video has loaded.
  const done = document.pictureInPictureElement
    ? document.exitPictureInPicture()
    : video?.requestPictureInPicture()
  await done?.catch(() => undefined)
}
