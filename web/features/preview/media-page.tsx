import { useLingui } from '@lingui/react/macro'
import { useRef, useState } from 'react'
import type { FileView } from '#contract/resources.ts'
import { problemText } from '#web/api/problem-text.ts'
import styles from './media-page.module.css'
import { useRawAddress } from './raw-address.ts'
import { useSubtitles } from './subtitles.ts'

interface MediaPageProps {
  file: FileView
  /** Does not begin to play by itself. */
  isQuiet?: boolean
}

/** A song or a film in the browser's own player. */
export function MediaPage({ file, isQuiet }: MediaPageProps) {
  const { t, i18n } = useLingui()
  const { address, failure, renew } = useRawAddress(file.path)
  const [isBroken, setBroken] = useState(false)
  const subtitles = useSubtitles(file, i18n.locale)
  const at = useRef(0)
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
            at.current = currentTarget.currentTime
          }}
          onLoadedMetadata={({ currentTarget }) => {
            // After a fresh address the player goes on where it stood.
            if (at.current > 0) currentTarget.currentTime = at.current
          }}
          onError={() => {
            // An address is good for a minute; jumping later in a long film needs another. What never played cannot.
            if (at.current > 0) renew()
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
              // The server puts the one first that the person can read best. It is on.
              default={index === 0}
            />
          ))}
        </Player>
      )}
    </div>
  )
}
