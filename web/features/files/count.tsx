import { Plural, Trans } from '@lingui/react/macro'
import { useMemo } from 'react'
import type { Item } from '#contract/resources.ts'
import { firstFileOf } from './views/sections.ts'

interface CountProps {
  /** The items, folders first. */
  items: readonly Item[]
}

/** The number of folders and files. */
export function ItemCount({ items }: CountProps) {
  const folders = useMemo(() => firstFileOf(items), [items])
  const files = items.length - folders
  if (folders === 0) return <Plural value={files} one="# file" other="# files" />
  if (files === 0) return <Plural value={folders} one="# folder" other="# folders" />
  return (
    <Trans>
      <Plural value={folders} one="# folder" other="# folders" />,{' '}
      <Plural value={files} one="# file" other="# files" />
    </Trans>
  )
}
