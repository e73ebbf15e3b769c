import { useLingui } from '@lingui/react/macro'
import { FileText, Film, Image, Music } from 'lucide-react'
import { Button } from '#web/ui/button.tsx'
import styles from './search-box.module.css'
import type { TypeFilter } from './search-state.ts'

interface SearchTilesProps {
  tile: TypeFilter | undefined
  onChange(tile: TypeFilter | undefined): void
}

/** Buttons that filter the search by type. A second press removes the filter. */
export function SearchTypeFilter({ tile, onChange }: SearchTilesProps) {
  const { t } = useLingui()
  const tiles = [
    ['image', t`Images`, Image],
    ['music', t`Music`, Music],
    ['video', t`Video`, Film],
    ['pdf', t`PDF`, FileText],
  ] as const
  return (
    <div className={styles.tiles}>
      {tiles.map(([name, label, icon]) => (
        <Button
          key={name}
          icon={icon}
          label={label}
          aria-pressed={tile === name}
          onClick={() => onChange(tile === name ? undefined : name)}
        />
      ))}
    </div>
  )
}
