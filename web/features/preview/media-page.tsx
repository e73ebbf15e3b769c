import { useLingui } from '@lingui/react/macro'
import { useRef, useState } from 'react'
import type { FileView } from '#contract/resources.ts'
import { problemText } from '#web/api/problems/problem-text.ts'
import styles from './media-page.module.css'
import { useRawAddress } from './raw-address.ts'
import { useSubtitles } from './subtitles.ts'

interface MediaPageProps {
  file: FileView
  /** Playback does not start automatically. */
  isQuiet?: boolean
}

/** An audio or video file in the browser's own player. */
export function MediaPage({ file, isQuiet }: MediaPageProps) {
  const { t, i18n } = useLingui()
  const { address, failure, renew } = useRawAddress(file.path)
  const [isBroken, setBroken] = useState(false)
  const subtitles = useSubtitles(file, i18n.locale)
  const playedSeconds = useRef(0)
  const Player = file.type === 'audio' ? 'audio' : 'video'
  return (
    <div className={styles.page}>
      {failure && <p role="alert">{i18n._(problemText(failure))}</p>}
      {isBroken && <p role="alert">{t`This browser can't play this file.`}</p>}
      {address && !isBroken && (
        <Player
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
    </div>
  )
}
