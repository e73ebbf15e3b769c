import { useLingui } from '@lingui/react/macro'
import { GalleryThumbnails, Pause, Play } from 'lucide-react'
import { useSnapshot } from 'valtio'
import type { FileView } from '#contract/resources.ts'
import { Button } from '#web/ui/button.tsx'
import { nextSlide, startSlideShow } from './slide-show.ts'
import { toggleFilmStrip, viewer } from './viewer-state.ts'

/** The buttons of the film strip and of the slide show. */
export function ViewerButtons({ file }: { file: FileView }) {
  const { t } = useLingui()
  const { hasFilmStrip, slideShow } = useSnapshot(viewer)
  const isOn = slideShow === 'on'
  return (
    <>
      <Button
        variant="quiet"
        icon={GalleryThumbnails}
        iconOnly
        label={t`Film strip`}
        aria-pressed={hasFilmStrip}
        aria-keyshortcuts="T"
        data-spare
        onClick={toggleFilmStrip}
      />
      {file.type === 'image' && nextSlide(file) && (
        <Button
          variant="quiet"
          icon={isOn ? Pause : Play}
          iconOnly
          label={isOn ? t`Pause slide show` : t`Slide show`}
          aria-keyshortcuts="S"
          onClick={() => {
            if (isOn) viewer.slideShow = 'paused'
            else startSlideShow()
          }}
        />
      )}
    </>
  )
}
