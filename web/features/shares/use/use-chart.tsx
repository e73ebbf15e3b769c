import { useLingui } from '@lingui/react/macro'
import type { ShareDay } from '#contract/history/share-use.ts'
import { formatNumber } from '#web/ui/format/format.ts'
import { regionalTag } from '#web/ui/format/region.ts'
import styles from './link-use.module.css'

/** What the chart shows. */
export type Measure = 'visits' | 'downloads' | 'files'

interface UseChartProps {
  /** The oldest first. */
  days: readonly ShareDay[]
  measure: Measure
  /** The name of the measure. */
  label: string
}

/** The height of the chart in its own units. */
const height = 100

/** A bar for each day. Screen readers get a table of the days on which something has happened. */
export function UseChart({ days, measure, label }: UseChartProps) {
  const { t, i18n } = useLingui()
  const format = new Intl.DateTimeFormat(regionalTag(i18n.locale), { dateStyle: 'medium', timeZone: 'UTC' })
  const dateOf = ({ day }: ShareDay) => format.format(Date.parse(day))
  const number = (value: number) => formatNumber(value, i18n.locale)
  const most = Math.max(...days.map((day) => day[measure]))
  const active = days.filter((day) => day[measure] > 0)
  const [first, last] = [days[0], days.at(-1)]
  return (
    <figure className={styles.chart}>
      <span aria-hidden>{most > 0 && number(most)}</span>
      <svg viewBox={`0 0 ${days.length * 4} ${height}`} preserveAspectRatio="none" aria-hidden>
        <title>{label}</title>
        {days.map((day, n) => (
          <rect
            key={day.day}
            x={n * 4 + 0.5}
            width={3}
            {...barOf(day[measure], most)}
            data-tip={`${dateOf(day)}: ${number(day[measure])}`}
          />
        ))}
      </svg>
      <figcaption aria-hidden>
        <span>{first && dateOf(first)}</span>
        <span>{active.length === 0 && t`None in these 90 days`}</span>
        <span>{last && dateOf(last)}</span>
      </figcaption>
      <table className="visually-hidden">
        <caption>{t`${label}, last 90 days. Days without any are left out.`}</caption>
        <thead>
          <tr>
            <th scope="col">{t`Day`}</th>
            <th scope="col">{label}</th>
          </tr>
        </thead>
        <tbody>
          {active.map((day) => (
            <tr key={day.day}>
              <th scope="row">{dateOf(day)}</th>
              <td>{number(day[measure])}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </figure>
  )
}

/** The top and the height of a bar. A small count is still visible. */
function barOf(count: number, most: number): { y: number; height: number } {
  const size = count === 0 ? 0 : Math.max(3, (count / most) * height)
  return { y: height - size, height: size }
}
