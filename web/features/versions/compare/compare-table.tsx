import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { type ReactNode, useMemo, useState } from 'react'
import { Button } from '#web/ui/button.tsx'
import styles from './compare.module.css'
import { changedPart, compareTexts, type Line, type Row, type Section } from './compare-rows.ts'

/** Number of rows shown at first and added by each press of the button. */
const step = 500
/** Maximum number of shown characters of a line. */
const maxLength = 2000

interface CompareTableProps {
  before: string
  after: string
  /** The names of the two texts. */
  names: readonly [string, string]
}

/** The differences of two texts: side by side on wide screens, below each other on narrow ones. */
export function CompareTable({ before, after, names }: CompareTableProps) {
  const { t } = useLingui()
  const { sections, removed, added } = useMemo(() => compareTexts(before, after), [before, after])
  const [unfolded, setUnfolded] = useState<ReadonlySet<number>>(new Set())
  const [limit, setLimit] = useState(step)
  if (before === after) return <p role="status">{t`There are no differences.`}</p>
  if (removed + added === 0) return <p role="status">{t`Only the line endings or invisible marks differ.`}</p>
  const { shown, hasMore } = firstRows(sections, unfolded, limit)
  return (
    <>
      <p role="status">
        <Trans>
          <Plural value={removed} one="# line removed" other="# lines removed" />,{' '}
          <Plural value={added} one="# line added" other="# lines added" />
        </Trans>
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must be able to scroll it. */}
      <section className={styles.box} tabIndex={0} aria-label={t`Differences`}>
        <table className={styles.table}>
          <colgroup>
            <col className={styles.number} />
            <col />
            <col className={styles.number} />
            <col />
          </colgroup>
          <thead>
            <tr>
              {names.map((name, side) => (
                <th key={side === 0 ? 'before' : 'after'} scope="col" colSpan={2}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map(({ id, isFolded, rows }) =>
              isFolded ? (
                <FoldedRow
                  key={id}
                  count={rows.length}
                  onOpen={() => setUnfolded(new Set([...unfolded, id]))}
                />
              ) : (
                rows.map((row) => <CompareRow key={`${row.before?.number}/${row.after?.number}`} row={row} />)
              ),
            )}
          </tbody>
        </table>
        {hasMore && <Button label={t`Show more`} onClick={() => setLimit(limit + step)} />}
      </section>
    </>
  )
}

/** The sections with together at most `limit` rows. */
function firstRows(sections: readonly Section[], unfolded: ReadonlySet<number>, limit: number) {
  const shown: Section[] = []
  let left = limit
  for (const section of sections) {
    if (left === 0) return { shown, hasMore: true }
    const isFolded = section.isFolded && !unfolded.has(section.id)
    const rows = isFolded ? section.rows : section.rows.slice(0, left)
    shown.push({ ...section, isFolded, rows })
    if (rows.length < section.rows.length) return { shown, hasMore: true }
    left -= isFolded ? 1 : rows.length
  }
  return { shown, hasMore: false }
}

interface FoldedRowProps {
  count: number
  onOpen(): void
}

function FoldedRow({ count, onOpen }: FoldedRowProps) {
  return (
    <tr>
      <td colSpan={4} className={styles.fold}>
        <button type="button" onClick={onOpen}>
          <Plural value={count} one="Show # unchanged line" other="Show # unchanged lines" />
        </button>
      </td>
    </tr>
  )
}

interface CompareRowProps {
  row: Row
}

function CompareRow({ row: { isSame, before, after } }: CompareRowProps) {
  const { t } = useLingui()
  if (isSame)
    return (
      <tr className={styles.same}>
        <LineNumber line={before} />
        <td dir="auto">{cut(before?.text ?? '')}</td>
        <LineNumber line={after} />
        <td dir="auto">{cut(after?.text ?? '')}</td>
      </tr>
    )
  return (
    <tr>
      <LineNumber line={before} sign="−" />
      <td data-kind={before && 'removed'} dir="auto">
        {before && (
          <del>
            <span className="visually-hidden">{t`Removed:`} </span>
            <Marked text={before.text} other={after?.text} />
          </del>
        )}
      </td>
      <LineNumber line={after} sign="+" />
      <td data-kind={after && 'added'} dir="auto">
        {after && (
          <ins>
            <span className="visually-hidden">{t`Added:`} </span>
            <Marked text={after.text} other={before?.text} />
          </ins>
        )}
      </td>
    </tr>
  )
}

interface LineNumberProps {
  line: Line | undefined
  /** Also says without colours what has happened to the line. */
  sign?: string
}

function LineNumber({ line, sign }: LineNumberProps): ReactNode {
  return (
    <td className={styles.number}>
      {line?.number}
      {line && <span aria-hidden>{sign}</span>}
    </td>
  )
}

interface MarkedProps {
  text: string
  /** The line on the other side; undefined: there is none. */
  other: string | undefined
}

/** A line whose changed part is marked if a line on the other side has parts of it. */
function Marked({ text, other }: MarkedProps): ReactNode {
  if (other === undefined || text.length > maxLength || other.length > maxLength) return cut(text)
  const [start, middle, end] = changedPart(text, other)
  if (!start.trim() && !end.trim()) return text
  return (
    <>
      {start}
      <b>{middle}</b>
      {end}
    </>
  )
}

function cut(text: string): string {
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text
}
