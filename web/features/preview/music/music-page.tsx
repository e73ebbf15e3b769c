import { useEffect } from 'react'
import { useSnapshot } from 'valtio'
import type { FileView } from '#contract/resources.ts'
import { nameOf, navigateTo, parentOf } from '#web/shared/paths.ts'
import { FileIcon } from '#web/ui/file-icon.tsx'
import { shownName } from '#web/ui/format/shown-name.ts'
import { Name } from '#web/ui/name.tsx'
import styles from './music.module.css'
import { MusicProblem, onMusicKey, PlayButtons, Queue, SeekBar, Volume } from './music-controls.tsx'
import { currentTrack, pageOfTrack, playFile } from './music-player.ts'
import { music, type Track } from './music-state.ts'

interface MusicPageProps {
  file: FileView
  /** The audio files of its folder, in the order of the list. */
  tracks: readonly Track[]
}

/** An open audio file. It controls the same playback as the bar, which it replaces. */
export function MusicPage({ file, tracks }: MusicPageProps) {
  const { tracks: queue, at } = useSnapshot(music)
  const shown = queue[at]?.path
  // A file that was opened is played. It is not played again when the list of its folder changes.
  useEffect(() => {
    playFile(file.path, [])
    music.isOpen = true
    return () => {
      music.isOpen = false
    }
  }, [file.path])
  useEffect(() => {
    if (currentTrack()?.path === file.path) playFile(file.path, tracks)
  }, [file.path, tracks])
  // The page follows the music.
  useEffect(() => {
    const track = currentTrack()
    if (track && track.path === shown && shown !== file.path)
      navigateTo(pageOfTrack(track.path), { replace: true })
  }, [shown, file.path])
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keeps the keys of its controls from the page.
    <div className={styles.page} onKeyDown={onMusicKey}>
      <div className={styles.cover}>
        <FileIcon name={file.name} isDir={false} type="audio" />
      </div>
      <div className={styles.title}>
        <h2 data-full={file.name}>
          <Name name={file.name} />
        </h2>
        <p>
          <bdi>{shownName(nameOf(parentOf(file.path)))}</bdi>
        </p>
      </div>
      <SeekBar />
      <PlayButtons />
      <div className={styles.extras}>
        <Volume />
        <Queue />
      </div>
      <MusicProblem />
    </div>
  )
}
