import type { ReactNode } from 'react'

interface FactProps {
  name: string
  children: ReactNode
}

/** One entry of a description list. */
export function DescriptionEntry({ name, children }: FactProps) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}
