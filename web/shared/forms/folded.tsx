import { type ReactNode, useContext, useEffect, useRef } from 'react'
import { Refusal } from '#web/ui/field.tsx'
import styles from './folded.module.css'

interface FoldedProps {
  title: string
  /** A heading of a page, instead of a line in a list. */
  isSection?: boolean
  children: ReactNode
}

/** Fields below a title that opens them. They open when the server refuses one of their values. */
export function Folded({ title, isSection = false, children }: FoldedProps) {
  const details = useRef<HTMLDetailsElement>(null)
  const refused = useContext(Refusal)
  // biome-ignore lint/correctness/useExhaustiveDependencies: looks for the refused field after each refusal.
  useEffect(() => {
    if (details.current?.querySelector('[aria-invalid]')) details.current.open = true
  }, [refused])
  return (
    <details ref={details} className={isSection ? styles.section : styles.line}>
      <summary>{isSection ? <h2>{title}</h2> : title}</summary>
      {children}
    </details>
  )
}
