import { useLingui } from '@lingui/react/macro'
import { CaseSensitive } from 'lucide-react'
import { useSnapshot } from 'valtio'
import { Button } from '#web/ui/button.tsx'
import styles from './file-mosaic.module.css'
import { tileSizes, tiles, toggleNames } from './tiles-state.ts'

interface MosaicToolsProps {
  onSize(size: number): void
}

/** The size of the tiles and whether names are shown, beside the column headers. */
export function MosaicTools({ onSize }: MosaicToolsProps) {
  const { t } = useLingui()
  const { size, hasNames } = useSnapshot(tiles)
  return (
    <div className={styles.tools}>
      <Button
        variant="quiet"
        icon={CaseSensitive}
        iconOnly
        label={t`Names`}
        aria-pressed={hasNames}
        onClick={toggleNames}
      />
      <input
        type="range"
        aria-label={t`Tile size`}
        data-tip=""
        {...tileSizes}
        step={20}
        value={Math.round(size)}
        onChange={({ currentTarget }) => onSize(Number(currentTarget.value))}
      />
    </div>
  )
}
