import { useLingui } from '@lingui/react/macro'
import { type RefObject, useEffect, useRef, useState } from 'react'
import type { FileView } from '#contract/resources.ts'
import { problemText } from '#web/api/problems/problem-text.ts'
import { isFocusFree } from '#web/ui/layers/lost-focus.ts'
import styles from './media-page.module.css'
import { useRawAddress } from './raw-address.ts'
import { useSubtitles } from './subtitles.ts'
import { usePosition } from './video/use-position.ts'
import { useVideoKeys } from './video/video-keys.ts'
import { VideoTools } from './video/video-tools.tsx'

interface MediaPageProps {
  file: FileView
  /** The file is part of a page: it does not start by itself and leaves the keys to that page. */
  isQuiet?: boolean
}

/** A video, or an audio file of a share or a preview, in the browser's own player. */
export function MediaPage({ file, isQuiet = false }: MediaPageProps) {
  const { t, i18n } = useLingui()
  const { address, failure, renew } = useRawAddress(file.path)
  const [isBroken, setBroken] = useState(false)
  const subtitles = useSubtitles(file, i18n.locale)
  const playedSeconds = useRef(0)
  const player = useRef<HTMLVideoElement>(null)
  const isAudio = file.type === 'audio'
  const isReady = address !== undefined && !isBroken
  const isWhole = isReady && !isAudio && !isQuiet
  useFocus(player, isWhole)
  useVideoKeys(player, isWhole)
  usePosition(player, file.path, isWhole)
  const Player = isAudio ? 'audio' : 'video'
  return (
    <div className={styles.page} data-whole={isWhole || undefined}>
      {failure && <p role="alert">{i18n._(problemText(failure))}</p>}
      {isBroken && <p role="alert">{t`This browser can't play this file.`}</p>}
      {isReady && (
        <Player
          ref={player}
          src={address}
          controls
          autoPlay={!isQuiet}
          preload="metadata"
          aria-label={file.name}
          onTimeUpdate={({ currentTarget }) => {
            playedSeconds.current = currentTarget.currentTime
          }}
          onLoadedMetadata={({ currentTarget }) => {
            // With a new address, the player continues at the same time.
            if (playedSeconds.current > 0) currentTarget.currentTime = playedSeconds.current
          }}
          onError={() => {
            // The address expires after a minute, and seeking in a long video needs a new one. A file that never played
            // is broken.
            if (playedSeconds.current > 0) renew()
            else setBroken(true)
          }}
        >
          {subtitles.map(({ address, label, language }, index) => (
            <track
              key={address}
              kind="subtitles"
              src={address}
              label={label}
              srcLang={language}
              // The server sorts the subtitles by the user's languages. The best match is on.
              default={index === 0}
            />
          ))}
        </Player>
      )}
      {isWhole && <VideoTools video={player} />}
    </div>
  )
}

/** A video has the focus when it is opened, unless the user has gone elsewhere. */
function useFocus(player: RefObject<HTMLVideoElement | null>, isReady: boolean): void {
  useEffect(() => {
    if (isReady && isFocusFree()) player.current?.focus({ preventScroll: true })
  }, [player, isReady])
}
