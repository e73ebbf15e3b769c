import { useLingui } from '@lingui/react/macro'
import { Fullscreen, Proportions, RotateCw, Save, ZoomIn, ZoomOut } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import type { FileView } from '#contract/resources.ts'
import { problemText } from '#web/api/problems/problem-text.ts'
import { useReducedPicture } from '#web/features/preview/first-look.ts'
import { useRawAddress } from '#web/features/preview/raw-address.ts'
import { isPageShortcut } from '#web/overlays/page-key.ts'
import { Button } from '#web/ui/button.tsx'
import { ownEntry } from '#web/ui/format/entry-of.ts'
import { formatPercent } from '#web/ui/format/format.ts'
import { useFit } from './fit.ts'
import { usePictureGestures } from './picture-gestures.ts'
import styles from './picture-page.module.css'
import { preloadedAddress } from './preload.ts'

interface PicturePageProps {
  file: FileView
  /** Called to go to the next (1) or the previous (-1) file. */
  onTurn(by: 1 | -1): void
  /** Called to return to the folder. */
  onClose(): void
  /** Called to save the picture turned to the right by quarters. Undefined if it cannot be saved. */
  onRotate?: ((quarters: number) => Promise<boolean>) | undefined
}

/** Zoom steps by key. */
const keySteps: Record<string, number> = { '+': 1, '=': 1, '-': -1 }

function isPlainShortcut(event: KeyboardEvent): boolean {
  return !(event.ctrlKey || event.metaKey || event.altKey) && isPageShortcut(event)
}

/** A picture, scaled down to the window but never enlarged until the user zooms. */
export function PicturePage({ file, onTurn, onClose, onRotate }: PicturePageProps) {
  const { t, i18n } = useLingui()
  const stage = useRef<HTMLDivElement>(null)
  const [ahead] = useState(() => preloadedAddress(file))
  const raw = useRawAddress(file.path, ahead)
  const { address, failure } = raw
  const [broken, setBroken] = useState<string>()
  const [loaded, setLoaded] = useState<string>()
  const first = useReducedPicture(file)
  const { placed, by, to, reset } = usePictureGestures(stage, onTurn, onClose)
  const picture = useRef<HTMLImageElement>(null)
  const [quarters, setQuarters] = useState(0)
  const { scale, pixels } = useFit(stage, picture, quarters, loaded)
  const zoom = placed.zoom * scale
  const turnRight = () => setQuarters((now) => now + 1)
  const isBroken = broken === file.path
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (!isPlainShortcut(event)) return
      const steps = ownEntry(keySteps, event.key)
      if (steps) by(steps)
      else ownEntry({ r: turnRight, '1': () => to(pixels), '0': reset }, event.key)?.()
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
            ref={picture}
            src={address}
            alt={file.name}
            draggable={false}
            style={{
              transform: `translate(${placed.x}px, ${placed.y}px) scale(${zoom}) rotate(${quarters * 90}deg)`,
            }}
            onLoad={() => setLoaded(file.path)}
            onError={() => setBroken(file.path)}
          />
          <div className={styles.zoom} data-fades>
            <Button
              variant="quiet"
              icon={ZoomOut}
              iconOnly
              label={t`Zoom out`}
              isInactive={placed.zoom <= 0.25}
              onClick={() => by(-1)}
            />
            <output aria-label={t`Zoom`}>{formatPercent(placed.zoom / pixels, i18n.locale)}</output>
            <Button
              variant="quiet"
              icon={ZoomIn}
              iconOnly
              label={t`Zoom in`}
              isInactive={placed.zoom >= 4}
              onClick={() => by(1)}
            />
            <Button variant="quiet" icon={Fullscreen} iconOnly label={t`Fit to window`} onClick={reset} />
            <Button
              variant="quiet"
              icon={Proportions}
              iconOnly
              label={t`Actual size`}
              onClick={() => to(pixels)}
            />
            <Button
              variant="quiet"
              icon={RotateCw}
              iconOnly
              label={t`Rotate view`}
              aria-keyshortcuts="R"
              onClick={turnRight}
            />
            {onRotate && quarters % 4 !== 0 && (
              <Button
                variant="quiet"
                icon={Save}
                iconOnly
                label={t`Save rotation`}
                onClick={() => onRotate(quarters)}
              />
            )}
          </div>
        </>
      )}
    </div>
  )
}
