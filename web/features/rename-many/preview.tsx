import { Plural, useLingui } from '@lingui/react/macro'
import { ArrowRight } from 'lucide-react'
import { shownName } from '#web/ui/format/shown-name.ts'
import type { NamePair } from './check-names.ts'
import styles from './rename-many.module.css'

/** Maximum number of lines. Names with an error come first when there are more. */
const maxLines = 200

interface PreviewProps {
  pairs: readonly NamePair[]
  /** The names of the items that get the date of their last change instead of the date taken. */
  withoutTaken: ReadonlySet<string>
}

/** The old and the new names, with what is wrong with them. */
export function Preview({ pairs, withoutTaken }: PreviewProps) {
  const { t, i18n } = useLingui()
  const isLong = pairs.length > maxLines
  const wrong = isLong ? pairs.filter(({ error }) => error) : []
  const shown = isLong ? [...wrong, ...pairs.filter(({ error }) => !error)].slice(0, maxLines) : pairs
  const rest = pairs.length - shown.length
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the table scrolls, also with the keyboard.
    <section className={styles.preview} tabIndex={0} aria-label={t`Preview`}>
      <table>
        <thead className="visually-hidden">
          <tr>
            <th>{t`Old name`}</th>
            <th>{t`New name`}</th>
          </tr>
        </thead>
        <tbody>
          {shown.map(({ from, to, error }) => (
            <tr key={from} data-same={to === from || undefined} data-wrong={error ? true : undefined}>
              <td>
                <bdi>{shownName(from)}</bdi>
              </td>
              <td>
                <div>
                  <ArrowRight size={14} aria-hidden />
                  <span>
                    <bdi>{shownName(to)}</bdi>
                    {error && <small>{i18n._(error)}</small>}
                    {!error && withoutTaken.has(from) && (
                      <small data-note>{t`No date taken. Last modified is used.`}</small>
                    )}
                  </span>
                </div>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {rest > 0 && (
        <p>
          <Plural value={rest} one="and # more" other="and # more" />
        </p>
      )}
    </section>
  )
}
