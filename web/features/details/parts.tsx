import { type ReactNode, useState } from 'react'
import { lazy } from '#web/ui/lazy.tsx'
import styles from './details.module.css'

/** Parts of other features, which this one must not import. */
export const Versions = lazy(async () => (await import('#web/app/chunks/later-history.ts')).Versions)
export const Activity = lazy(async () => (await import('#web/app/chunks/later-history.ts')).Activity)
export const ShareLinks = lazy(async () => (await import('#web/app/chunks/later-dialogs.ts')).ShareLinks)

/** The titles of the parts that were opened or closed. They stay so when another item is selected. */
const openParts = new Map<string, boolean>()

interface PartProps {
  title: string
  isOpenAtFirst?: boolean
  children: ReactNode
}

/** A part that is loaded when it is open. */
export function Part({ title, isOpenAtFirst = false, children }: PartProps) {
  const [isOpen, setOpen] = useState(openParts.get(title) ?? isOpenAtFirst)
  return (
    <details
      className={styles.part}
      open={isOpen}
      onToggle={({ currentTarget: { open } }) => {
        setOpen(open)
        openParts.set(title, open)
      }}
    >
      <summary>{title}</summary>
      {isOpen && children}
    </details>
  )
}
