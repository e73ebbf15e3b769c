import { Plural, Trans } from '@lingui/react/macro'
import { useMemo } from 'react'
import type { Item } from '#contract/resources.ts'
import { type Expected, firstFileOf } from './views/sections.ts'

interface CountProps {
  /** The items, folders first. */
  items: readonly Item[]
  /** The numbers of items if only the first are there. */
  expected?: Expected | undefined
}

/** The number of folders and files. */
export function ItemCount({ items, expected }: CountProps) {
  const first = useMemo(() => firstFileOf(items), [items])
  const { folders, files } = expected ?? { folders: first, files: items.length - first }
  if (folders === 0) return <Plural value={files} one="# file" other="# files" />
  if (files === 0) return <Plural value={folders} one="# folder" other="# folders" />
  return (
    <Trans>
      <Plural value={folders} one="# folder" other="# folders" />,{' '}
      <Plural value={files} one="# file" other="# files" />
    </Trans>
  )
}
