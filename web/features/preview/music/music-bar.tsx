import { useLingui } from '@lingui/react/macro'
import { X } from 'lucide-react'
import { useSnapshot } from 'valtio'
import { origin } from '#web/api/origin.ts'
import { PageLink } from '#web/shared/page-link.tsx'
import { nameOf, parentOf } from '#web/shared/paths.ts'
import { Button } from '#web/ui/button.tsx'
import { FileIcon } from '#web/ui/file-icon.tsx'
import { shownName } from '#web/ui/format/shown-name.ts'
import { Name } from '#web/ui/name.tsx'
import { useRoom } from '#web/ui/toasts/use-room.ts'
import styles from './music.module.css'
import { MusicProblem, onMusicKey, PlayButtons, Queue, SeekBar, Volume } from './music-controls.tsx'
import { closeMusic, pageOfTrack } from './music-player.ts'
import { music } from './music-state.ts'

/** The player at the lower edge of every page, except on the page of the track. */
export function MusicBar() {
  const { t } = useLingui()
  const { tracks, at, isOpen } = useSnapshot(music)
  const track = tracks[at]
  const bar = useRoom('--music-block-size', track !== undefined && !isOpen)
  if (!track || isOpen) return null
  const folder = parentOf(track.path)
  return (
    // biome-ignore lint/a11y/noNoninteractiveElementInteractions: keeps the keys of its controls from the page.
    <section ref={bar} className={styles.bar} aria-label={t`Player`} data-part="music" onKeyDown={onMusicKey}>
      <div className={styles.track}>
        <FileIcon name={track.name} isDir={false} type="audio" />
        <div>
          <PageLink to={pageOfTrack(track.path)} data-full={track.name} className={styles.name}>
            <Name name={track.name} />
          </PageLink>
          <PageLink to={pageOfTrack(folder)} className={styles.folder}>
            <bdi>{shownName(nameOf(folder)) || origin.link?.name || t`My files`}</bdi>
          </PageLink>
        </div>
      </div>
      <PlayButtons />
      <SeekBar />
      <Volume />
      <Queue />
      <Button
        variant="quiet"
        icon={X}
        iconOnly
        label={t`Close the player`}
        className={styles.close}
        onClick={closeMusic}
      />
      <MusicProblem />
    </section>
  )
}
