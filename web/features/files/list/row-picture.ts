import type { ReactNode } from 'react'
import { proxy } from 'valtio'
import type { Item } from '#contract/resources.ts'

/** The component that shows a picture in place of a row's icon. It arrives after the first list. */
export const rowPicture = proxy<{ View?: (props: { item: Item }) => ReactNode }>({})
