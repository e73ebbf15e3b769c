import { useLingui } from '@lingui/react/macro'
import { Clock, Eraser, Star } from 'lucide-react'
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { useSnapshot } from 'valtio'
import type { PlaceItem } from '#contract/history/places.ts'
import { keyOf } from '#web/actions/registry.ts'
import { nextCursor } from '#web/shared/lists/list-keys.ts'
import { isStarred } from '#web/shared/lists/stars.ts'
import { onLiveChange } from '#web/shared/live/live-changes.ts'
import { session } from '#web/shared/session.ts'
import { Button } from '#web/ui/button.tsx'
import { firstDayOfWeek } from '#web/ui/format/calendar.ts'
import { type Period, periodOf } from './days.ts'
import { PlaceRow } from './place-row.tsx'
import styles from './places.module.css'
import { clearRecent, forgetPlaces, loadPlaces, type PlaceKind, places } from './places-state.ts'
import { setStars } from './star-state.ts'

interface PlacesPageProps {
  kind: PlaceKind
}

/** The starred files and folders, or the recent files. */
export function PlacesPage({ kind }: PlacesPageProps) {
  const { t } = useLingui()
  const { failure, isLoaded } = useSnapshot(places)
  const items = useSnapshot(places).items as readonly PlaceItem[]
  useEffect(() => {
    void loadPlaces(kind)
    let timer: ReturnType<typeof setTimeout> | undefined
    const end = onLiveChange(() => {
      clearTimeout(timer)
      timer = setTimeout(() => void loadPlaces(kind), 1000)
    })
    return () => {
      clearTimeout(timer)
      end()
      forgetPlaces()
    }
  }, [kind])
  const isRecent = kind === 'recent'
  return (
    <section className={styles.page} data-part="places">
      <div className={styles.bar}>
        <h1>{isRecent ? t`Recent` : t`Starred`}</h1>
        {isRecent && items.length > 0 && (
          <Button variant="quiet" icon={Eraser} label={t`Clear list`} onClick={clearRecent} />
        )}
      </div>
      {failure ? (
        <Message>
          <p role="alert">{failure}</p>
          <Button label={t`Try again`} onClick={() => loadPlaces(kind)} />
        </Message>
      ) : items.length > 0 ? (
        <PlacesList kind={kind} items={items} />
      ) : isLoaded ? (
        <Empty kind={kind} />
      ) : (
        <Message>
          <p role="status">{t`Loading…`}</p>
        </Message>
      )}
    </section>
  )
}

function Message({ children }: { children: ReactNode }) {
  return <div className={styles.message}>{children}</div>
}

/** Explains how items get into an empty list. */
function Empty({ kind }: Pick<PlacesPageProps, 'kind'>) {
  const { t } = useLingui()
  const [Icon, title, text] =
    kind === 'recent'
      ? [Clock, t`No recent files`, t`Files that you open or change appear here.`]
      : [Star, t`Nothing starred yet`, t`Choose “Add to starred” in the menu of a file or folder.`]
  return (
    <Message>
      <Icon size={56} strokeWidth={1} aria-hidden />
      <h2>{title}</h2>
      <p>{text}</p>
    </Message>
  )
}

interface PlacesListProps extends PlacesPageProps {
  items: readonly PlaceItem[]
}

/** The rows, in parts. Tab reaches only the controls of the current row; arrow keys go to another one. */
function PlacesList({ kind, items: loaded }: PlacesListProps) {
  const { i18n } = useLingui()
  const titles = usePeriodTitles()
  const { dateFormat: absolute = false, firstDay } = useSnapshot(session).user ?? {}
  const list = useRef<HTMLDivElement>(null)
  const [cursor, setCursor] = useState(0)
  const items = kind === 'recent' ? loaded : byName(loaded, i18n.locale)
  const current = Math.min(cursor, items.length - 1)
  useEffect(() => {
    const { activeElement, body } = document
    if (!activeElement || activeElement === body) focusRow(list.current, 0)
  }, [])
  const onKeyDown = (event: KeyboardEvent) => {
    const item = items[current]
    if (keyOf(event.nativeEvent) === 'Mod+Shift+s' && item) {
      void setStars([item.path], !isStarred(item.path))
    } else {
      const layout = { count: items.length, columns: 1, page: 10, isRightToLeft: false }
      const isPlain = !event.altKey && !event.ctrlKey && !event.metaKey
      const next = isPlain ? nextCursor(event.key, current, layout) : undefined
      if (next === undefined) return
      focusRow(list.current, next)
    }
    event.preventDefault()
    event.stopPropagation()
  }
  const weekStart = firstDayOfWeek(firstDay, i18n.locale)
  const parts: [Period | 'all', PlaceItem[]][] =
    kind === 'recent' ? partsOf(items, weekStart) : [['all', [...items]]]
  let index = 0
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys belong to the links in the rows.
    <div ref={list} className={styles.list} onKeyDown={onKeyDown}>
      {parts.map(([period, part]) => (
        <section key={period} aria-label={titles[period]}>
          {kind === 'recent' && <h2 className={styles.period}>{titles[period]}</h2>}
          <ul>
            {part.map((item) => {
              const at = index++
              return (
                <PlaceRow
                  key={item.path}
                  item={item}
                  isCurrent={at === current}
                  time={kind === 'recent' ? item.time : item.modified}
                  absolute={absolute}
                  onFocus={() => setCursor(at)}
                />
              )
            })}
          </ul>
        </section>
      ))}
    </div>
  )
}

function usePeriodTitles(): Record<Period | 'all', string | undefined> {
  const { t } = useLingui()
  return {
    today: t`Today`,
    yesterday: t`Yesterday`,
    week: t`This week`,
    lastWeek: t`Last week`,
    earlier: t`Earlier`,
    all: undefined,
  }
}

/** The rows of each part, by the time at which they were opened or changed. */
function partsOf(items: readonly PlaceItem[], weekStart: number): [Period, PlaceItem[]][] {
  const now = Date.now()
  return [...Map.groupBy(items, ({ time }) => periodOf(Date.parse(time), now, weekStart))]
}

/** Folders first, then by name. */
function byName(items: readonly PlaceItem[], locale: string): PlaceItem[] {
  const { compare } = new Intl.Collator(locale, { numeric: true })
  return items.toSorted((a, b) => Number(b.isDir) - Number(a.isDir) || compare(a.name, b.name))
}

function focusRow(list: HTMLElement | null, index: number): void {
  list?.querySelectorAll<HTMLElement>('[data-main]')[index]?.focus()
}
