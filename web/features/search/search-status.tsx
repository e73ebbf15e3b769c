import { Plural, useLingui } from '@lingui/react/macro'
import { useSnapshot } from 'valtio'
import { problemText } from '#web/api/problem-text.ts'
import { Button } from '#web/ui/button.tsx'
import { formatNumber } from '#web/ui/format/format.ts'
import styles from './search-box.module.css'
import { found, stop } from './search-state.ts'

interface SearchStatusProps {
  /** Empty: nothing is looked for. */
  query: string
  /** Of the folder that is looked in. */
  name: string
  /** Looks in all files instead; absent when that is what was done. */
  onEverywhere?: () => void
}

/** How the search stands, and what one can do about it. */
export function SearchStatus({ query, name, onEverywhere }: SearchStatusProps) {
  const { t } = useLingui()
  const { looking } = useSnapshot(found)
  return (
    <div className={styles.status}>
      <p role="status">
        {query ? <Standing name={name} /> : t`Finds names with any of the words. Put a phrase in quotes.`}
      </p>
      {looking && <Button look="quiet" label={t`Stop`} onClick={stop} />}
      {!looking && query !== '' && onEverywhere && (
        <Button look="quiet" label={t`Search all my files`} onClick={onEverywhere} />
      )}
    </div>
  )
}

function Standing({ name }: { name: string }) {
  const { t, i18n } = useLingui()
  const { hits, looking, isPartial, failure } = useSnapshot(found)
  const count = hits.length
  const number = formatNumber(count, i18n.locale)
  if (failure) return i18n._(problemText(failure))
  if (looking) return count > 0 ? t`Searching… ${number} so far` : t`Searching…`
  if (isPartial) return t`First ${number} results. There may be more.`
  if (count === 0) return t`No results in ${name}.`
  return <Plural value={count} one="# result" other="# results" />
}
