import type { ReactNode } from 'react'
import { proxy } from 'valtio'
import type { Item } from '#contract/resources.ts'
import type { Column } from '#web/features/files/views/columns.ts'

const nothing = () => null

/** Components of the list that arrive after the first list. */
export const rowParts = proxy<{
  /** Shows a picture in place of a row's icon. */
  Picture?: (props: { item: Item }) => ReactNode
  /** The cells between the size and the last change. */
  Cells: (props: { item: Item; columns: string }) => ReactNode
  /** The headers of these cells. */
  Heads: (props: { columns: readonly Column[]; isMosaic: boolean }) => ReactNode
  /** The menu at the end of the headers, which shows and hides columns. */
  Menu: (props: { isMosaic: boolean }) => ReactNode
}>({ Cells: nothing, Heads: nothing, Menu: nothing })
