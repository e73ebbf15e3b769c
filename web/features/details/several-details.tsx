import { useLingui } from '@lingui/react/macro'
import type { Item } from '#contract/resources.ts'
import { formatNumber, formatSize } from '#web/ui/format/format.ts'
import { TotalSize } from './deep-size.tsx'
import styles from './details.module.css'
import { DescriptionEntry } from './fact.tsx'
import { Counts } from './item-counts.tsx'
import { countKinds } from './kind-text.ts'

interface SeveralDetailsProps {
  items: readonly Item[]
}

/** The number, kinds and sizes of several items. */
export function SeveralDetails({ items }: SeveralDetailsProps) {
  const { t, i18n } = useLingui()
  const folders = items.filter((item) => item.isDir)
  const size = items.reduce((sum, item) => sum + (item.isDir ? 0 : item.size), 0)
  return (
    <dl className={styles.facts}>
      <DescriptionEntry name={t`Selected`}>
        <Counts folders={folders.length} files={items.length - folders.length} />
      </DescriptionEntry>
      <DescriptionEntry name={t`Size of the files`}>{formatSize(size, i18n.locale)}</DescriptionEntry>
      {folders.length > 0 && (
        // Another selection starts without a result.
        <TotalSize
          key={folders.map(({ name }) => name).join('/')}
          paths={folders.map(({ path }) => path)}
          more={{ size, files: items.length - folders.length }}
        />
      )}
      {countKinds(items).map(([kind, count]) => (
        <DescriptionEntry key={kind} name={kind}>
          {formatNumber(count, i18n.locale)}
        </DescriptionEntry>
      ))}
    </dl>
  )
}
