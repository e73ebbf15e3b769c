import { useMemo } from 'react'
import { useSnapshot } from 'valtio'
import type { Item } from '#contract/resources.ts'
import { DetailsPanel } from '#web/features/details/details-panel.tsx'
import { files, selectedItems } from '#web/features/files/state/files-state.ts'
import { selection } from '#web/features/files/state/selection.ts'

/** The panel with the properties of what is selected in the list. */
export function DetailsFrame() {
  const { folder } = useSnapshot(files)
  const { names } = useSnapshot(selection)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the selected items depend on both.
  const chosen = useMemo(selectedItems, [folder, names])
  if (!folder) return null
  // The snapshot makes the panel follow changes of the items. Nothing below changes them.
  return <DetailsPanel folder={{ ...folder, items: folder.items as readonly Item[] }} chosen={chosen} />
}
