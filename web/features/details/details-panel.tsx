import { useLingui } from '@lingui/react/macro'
import { X } from 'lucide-react'
import { type KeyboardEvent, useEffect } from 'react'
import type { Item } from '#contract/resources.ts'
import { focusList } from '#web/shared/lists/focus-list.ts'
import { nameOf } from '#web/shared/paths.ts'
import { Button } from '#web/ui/button.tsx'
import { useBackCloses } from '#web/ui/layers/back-closes.ts'
import styles from './details.module.css'
import { ItemDetails, type ShownFolder } from './item-details.tsx'
import { SeveralDetails } from './several-details.tsx'
import { toggleDetails } from './toggle-details.ts'

interface DetailsPanelProps {
  folder: ShownFolder
  /** The selected items. */
  chosen: readonly Item[]
}

/** The properties of the selection beside the list; without a selection, those of the folder. */
export function DetailsPanel({ folder, chosen }: DetailsPanelProps) {
  const { t } = useLingui()
  const [item] = chosen
  // There it is a sheet that covers most of the list.
  useBackCloses(toggleDetails, matchMedia('(width <= 46rem)').matches)
  const path = item?.path ?? folder.path
  // The list has become lower, and may have hidden the item.
  useEffect(() => {
    document.querySelector('[data-part=list] [data-current]')?.scrollIntoView({ block: 'nearest' })
  }, [])
  return (
    <aside className={styles.panel} aria-label={t`Info`} data-part="details" onKeyDown={leaveOnEscape}>
      <header className={styles.head}>
        <h2>{t`Info`}</h2>
        <Button variant="quiet" icon={X} iconOnly label={t`Close`} onClick={toggleDetails} />
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must be able to scroll it. */}
      <section className={styles.body} tabIndex={0} aria-label={t`Info`}>
        {chosen.length > 1 ? (
          <SeveralDetails items={chosen} />
        ) : (
          <ItemDetails
            name={nameOf(path) || t`My files`}
            path={path}
            item={item}
            folder={folder}
            onLeave={() => {}}
          />
        )}
      </section>
    </aside>
  )
}

/** Escape returns to the list. Dialogs and menus that were opened here handle it themselves. */
function leaveOnEscape(event: KeyboardEvent<HTMLElement>): void {
  const isInside = event.target instanceof Node && event.currentTarget.contains(event.target)
  if (event.key !== 'Escape' || event.defaultPrevented || !isInside) return
  event.preventDefault()
  event.stopPropagation()
  focusList()
}
