import { useLingui } from '@lingui/react/macro'
import { ListMusic, Music, Pause, Play, SkipBack, SkipForward, Volume2, VolumeX } from 'lucide-react'
import { type CSSProperties, type KeyboardEvent, useEffect, useRef } from 'react'
import { useSnapshot } from 'valtio'
import { Button } from '#web/ui/button.tsx'
import { formatClock } from '#web/ui/format/clock.ts'
import { formatPercent } from '#web/ui/format/format.ts'
import { MenuButton } from '#web/ui/menus/menu-button.tsx'
import styles from './music.module.css'
import { goToTrack, seekTo, setVolume, skip, toggleMuted, togglePlaying } from './music-player.ts'
import { music } from './music-state.ts'

/** Previous track, play or pause, and next track. */
export function PlayButtons() {
  const { t } = useLingui()
  const { isPlaying, at, tracks } = useSnapshot(music)
  return (
    <div className={styles.buttons}>
      <Button variant="quiet" icon={SkipBack} iconOnly label={t`Previous track`} onClick={() => skip(-1)} />
      <Button
        variant="main"
        className={styles.play}
        icon={isPlaying ? Pause : Play}
        iconOnly
        label={isPlaying ? t`Pause` : t`Play`}
        onClick={togglePlaying}
      />
      <Button
        variant="quiet"
        icon={SkipForward}
        iconOnly
        label={t`Next track`}
        isInactive={at + 1 >= tracks.length}
        onClick={() => skip(1)}
      />
    </div>
  )
}

/** The most tracks in the menu, around the current one. */
const maxTracks = 100

/** The tracks that are played one after the other. Choosing one goes there. */
export function Queue() {
  const { t } = useLingui()
  const { tracks, at } = useSnapshot(music)
  if (tracks.length < 2) return null
  const from = Math.max(0, Math.min(at - maxTracks / 2, tracks.length - maxTracks))
  return (
    <MenuButton
      variant="quiet"
      icon={ListMusic}
      iconOnly
      label={t`Queue`}
      placement="top start"
      className={styles.queue}
      choices={tracks.slice(from, from + maxTracks).map(({ name }, n) => ({
        id: String(from + n),
        label: name,
        icon: from + n === at ? Volume2 : Music,
        isCurrent: from + n === at,
      }))}
      onChoose={(id) => goToTrack(Number(id))}
    />
  )
}

/** The position in the track, and its length. */
export function SeekBar() {
  const { t, i18n } = useLingui()
  const { time, length } = useSnapshot(music)
  const [now, end] = [formatClock(time, i18n.locale), formatClock(length, i18n.locale)]
  const bar = useRef<HTMLDivElement>(null)
  // Moving the thumb is not a swipe to the next file.
  useEffect(() => {
    const { current } = bar
    const keep = (event: TouchEvent) => event.stopPropagation()
    current?.addEventListener('touchstart', keep, { passive: true })
    return () => current?.removeEventListener('touchstart', keep)
  }, [])
  return (
    <div ref={bar} className={styles.seek}>
      <span aria-hidden>{now}</span>
      <input
        type="range"
        min={0}
        max={Math.max(1, Math.floor(length))}
        step={1}
        value={Math.floor(time)}
        style={filledTo(length > 0 ? time / length : 0)}
        disabled={length === 0}
        aria-label={t`Position`}
        aria-valuetext={t`${now} of ${end}`}
        onChange={({ target }) => seekTo(target.valueAsNumber)}
      />
      <span aria-hidden>{end}</span>
    </div>
  )
}

/** The volume. Phones have keys for it. */
export function Volume() {
  const { t, i18n } = useLingui()
  const { volume, isMuted } = useSnapshot(music)
  const value = isMuted ? 0 : volume
  return (
    <div className={styles.volume}>
      <Button
        variant="quiet"
        icon={value === 0 ? VolumeX : Volume2}
        iconOnly
        label={isMuted ? t`Unmute` : t`Mute`}
        onClick={toggleMuted}
      />
      <input
        type="range"
        min={0}
        max={1}
        step={0.05}
        value={value}
        style={filledTo(value)}
        aria-label={t`Volume`}
        aria-valuetext={formatPercent(value, i18n.locale)}
        onChange={({ target }) => setVolume(target.valueAsNumber)}
      />
    </div>
  )
}

/** Colours a slider up to `part` of it, from 0 to 1. */
function filledTo(part: number): CSSProperties {
  return { '--part': `${part * 100}%` } as CSSProperties
}

/** What went wrong last: a line that is read aloud. */
export function MusicProblem() {
  const { t } = useLingui()
  const { failed, isLost } = useSnapshot(music)
  return (
    <p className={styles.problem} role="status">
      {isLost
        ? t`Can't reach the server. Check your connection and try again.`
        : failed && t`“${failed}” can't be played.`}
    </p>
  )
}

/** Space plays and pauses also at the sliders. The keys of the player are not those of the page. */
export function onMusicKey(event: KeyboardEvent<HTMLElement>): void {
  if (event.key !== ' ') return
  event.stopPropagation()
  if (!(event.target instanceof HTMLInputElement)) return
  event.preventDefault()
  togglePlaying()
}
