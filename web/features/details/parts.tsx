import { type ReactNode, useState } from 'react'
import { lazy } from '#web/ui/lazy.tsx'
import styles from './details.module.css'

/** Parts of other features, which this one must not import. */
export const Versions = lazy(async () => (await import('#web/app/chunks/later-history.ts')).Versions)
export const Activity = lazy(async () => (await import('#web/app/chunks/later-history.ts')).Activity)
export const ShareLinks = lazy(async () => (await import('#web/app/chunks/later-dialogs.ts')).ShareLinks)

/** The titles of the open parts. They stay open when another item is selected. */
const openParts = new Set<string>()

interface PartProps {
  title: string
  children: ReactNode
}

/** A part that is loaded when the user opens it. */
export function Part({ title, children }: PartProps) {
  const [isOpen, setOpen] = useState(openParts.has(title))
  return (
    <details
      className={styles.part}
      open={isOpen}
      onToggle={({ currentTarget: { open } }) => {
        setOpen(open)
        if (open) openParts.add(title)
        else openParts.delete(title)
      }}
    >
      <summary>{title}</summary>
      {isOpen && children}
    </details>
  )
}
