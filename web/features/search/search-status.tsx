import { Plural, useLingui } from '@lingui/react/macro'
import { useSnapshot } from 'valtio'
import { origin } from '#web/api/origin.ts'
import { problemText } from '#web/api/problems/problem-text.ts'
import { Button } from '#web/ui/button.tsx'
import { formatNumber } from '#web/ui/format/format.ts'
import styles from './search-box.module.css'
import { searchState, stopSearch } from './search-state.ts'

interface SearchStatusProps {
  /** Empty when there is no search. */
  query: string
  /** The name of the searched folder. */
  name: string
  /** Searches all files instead; undefined when all files were searched. */
  onEverywhere?: () => void
}

/** The status of the search, and its buttons. */
export function SearchStatus({ query, name, onEverywhere }: SearchStatusProps) {
  const { t } = useLingui()
  const { isSearching, hasEnded } = useSnapshot(searchState)
  return (
    <div className={styles.status}>
      <p role="status">
        {query ? (
          <SearchProgress name={name} />
        ) : (
          t`Finds names that contain all of the words. Put a phrase in quotes.`
        )}
      </p>
      {isSearching && <Button variant="quiet" label={t`Stop`} onClick={stopSearch} />}
      {hasEnded && query !== '' && onEverywhere && (
        <Button
          variant="quiet"
          label={origin.link ? t`Search everything here` : t`Search all my files`}
          onClick={onEverywhere}
        />
      )}
    </div>
  )
}

function SearchProgress({ name }: { name: string }) {
  const { t, i18n } = useLingui()
  const { hits, hasEnded, isPartial, failure } = useSnapshot(searchState)
  const count = hits.length
  const number = formatNumber(count, i18n.locale)
  if (failure) return i18n._(problemText(failure))
  if (!hasEnded) return count > 0 ? t`Searching… ${number} so far` : t`Searching…`
  if (isPartial) return t`First ${number} results. There may be more.`
  if (count === 0) return t`No results in ${name}.`
  return <Plural value={count} one="# result" other="# results" />
}
