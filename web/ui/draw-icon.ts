import type { LucideProps } from 'lucide-react'
import { createElement, type FunctionComponent } from 'react'

/** The shapes of an icon: tag names and attributes of SVG elements, on a canvas of 24 by 24. */
type Shapes = readonly (readonly [tag: string, attributes: Record<string, string>])[]

/**
 * Creates the component of an icon of lucide-react. The build uses it instead of the package's own code, which is
 * larger than all icons of the first load together (`scripts/build/first-load.ts`). An icon without an accessible name
 * is hidden from screen readers.
 */
export function createIcon(name: string, shapes: Shapes): FunctionComponent<LucideProps> {
  return ({ size = 24, strokeWidth = 2, color = 'currentColor', className = '', ...rest }) =>
    createElement(
      'svg',
      {
        width: size,
        height: size,
        viewBox: '0 0 24 24',
        fill: 'none',
        stroke: color,
        strokeWidth,
        strokeLinecap: 'round',
        strokeLinejoin: 'round',
        className: `lucide-${name} ${className}`,
        'aria-hidden': rest['aria-label'] === undefined,
        ...rest,
      },
      ...shapes.map(([tag, attributes]) => createElement(tag, attributes)),
    )
}
