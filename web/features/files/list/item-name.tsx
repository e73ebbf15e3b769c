import type { Item } from '#contract/resources.ts'
import { listParts } from '#web/features/files/state/list-parts.ts'
import { href } from '#web/shared/paths.ts'
import { shownName } from '#web/ui/format/shown-name.ts'
import { Name } from '#web/ui/name.tsx'

interface ItemNameProps {
  item: Item
  /** The name is a text field. */
  isRenamed: boolean
}

/** The name of an item as a link, or as a text field while the user changes it. */
export function ItemName({ item, isRenamed }: ItemNameProps) {
  const { name, url } = item
  const { actions } = listParts
  if (isRenamed && actions) return <actions.RenameField item={item} />
  return (
    <a href={href(url)} tabIndex={-1} draggable={false} data-full={name} aria-label={shownName(name)}>
      <Name name={name} />
    </a>
  )
}
