import type { ReactNode } from 'react'

interface FactProps {
  name: string
  children: ReactNode
}

/** One line of what is known; stands in a list of them. */
export function Fact({ name, children }: FactProps) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}
