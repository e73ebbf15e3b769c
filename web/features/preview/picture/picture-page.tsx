import { useLingui } from '@lingui/react/macro'
import { RotateCcw, ZoomIn, ZoomOut } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import type { FileView } from '#contract/resources.ts'
import { problemText } from '#web/api/problems/problem-text.ts'
import { useReducedPicture } from '#web/features/preview/first-look.ts'
import { useRawAddress } from '#web/features/preview/raw-address.ts'
import { isPageShortcut } from '#web/overlays/page-key.ts'
import { Button } from '#web/ui/button.tsx'
import { ownEntry } from '#web/ui/format/entry-of.ts'
import { formatNumber } from '#web/ui/format/format.ts'
import { usePictureGestures } from './picture-gestures.ts'
import styles from './picture-page.module.css'

interface PicturePageProps {
  file: FileView
  /** Called to go to the next (1) or the previous (-1) file. */
  onTurn(by: 1 | -1): void
}

/** Zoom steps by key; 0 fits the picture into the window. */
const keySteps: Record<string, number> = { '+': 1, '=': 1, '-': -1, '0': 0 }

/** A picture, scaled down to the window but never enlarged until the user zooms. */
export function PicturePage({ file, onTurn }: PicturePageProps) {
  const { t, i18n } = useLingui()
  const stage = useRef<HTMLDivElement>(null)
  const { address, failure } = useRawAddress(file.path)
  const [broken, setBroken] = useState<string>()
  const [loaded, setLoaded] = useState<string>()
  const first = useReducedPicture(file)
  const { placed, by, reset } = usePictureGestures(stage, onTurn)
  const isBroken = broken === file.path
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const isPlain = !(event.ctrlKey || event.metaKey || event.altKey)
      const steps = isPlain && isPageShortcut(event) ? ownEntry(keySteps, event.key) : undefined
      if (steps === 0) reset()
      else if (steps) by(steps)
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  })
  return (
    <div ref={stage} className={styles.stage} data-part="picture" data-large={placed.zoom > 1 || undefined}>
      {failure && <p role="alert">{i18n._(problemText(failure))}</p>}
      {isBroken && <p role="alert">{t`This image can't be shown.`}</p>}
      {address && !failure && !isBroken && (
        <>
          {first && loaded !== file.path && (
            <img className={styles.first} src={first} alt="" draggable={false} />
          )}
          <img
            src={address}
            alt={file.name}
            draggable={false}
            style={{ transform: `translate(${placed.x}px, ${placed.y}px) scale(${placed.zoom})` }}
            onLoad={() => setLoaded(file.path)}
            onError={() => setBroken(file.path)}
          />
          <div className={styles.zoom}>
            <Button
              variant="quiet"
              icon={ZoomOut}
              iconOnly
              label={t`Zoom out`}
              isInactive={placed.zoom <= 0.25}
              onClick={() => by(-1)}
            />
            <output aria-label={t`Zoom`}>{formatNumber(Math.round(placed.zoom * 100), i18n.locale)} %</output>
            <Button
              variant="quiet"
              icon={ZoomIn}
              iconOnly
              label={t`Zoom in`}
              isInactive={placed.zoom >= 4}
              onClick={() => by(1)}
            />
            <Button variant="quiet" icon={RotateCcw} iconOnly label={t`Fit to window`} onClick={reset} />
          </div>
        </>
      )}
    </div>
  )
}
