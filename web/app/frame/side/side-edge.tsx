import { useLingui } from '@lingui/react/macro'
import { type KeyboardEvent, type PointerEvent, useRef } from 'react'
import { useSnapshot } from 'valtio'
import styles from './side.module.css'
import { setSideWidth, side, widths } from './side-state.ts'

/** How far an arrow key moves the edge, in pixels. */
const stepPx = 16

/** The edge of the sidebar. Dragging it, or the arrow keys, change the width; a double click resets it. */
export function SideEdge() {
  const { t } = useLingui()
  const { width, isCollapsed } = useSnapshot(side)
  const start = useRef<{ x: number; width: number }>(undefined)
  if (isCollapsed) return null
  const direction = () => (document.documentElement.dir === 'rtl' ? -1 : 1)
  const onPointerDown = (event: PointerEvent<HTMLElement>) => {
    event.preventDefault()
    event.currentTarget.setPointerCapture(event.pointerId)
    start.current = { x: event.clientX, width }
  }
  const onPointerMove = ({ clientX }: PointerEvent) => {
    if (start.current) setSideWidth(start.current.width + (clientX - start.current.x) * direction())
  }
  const end = () => {
    start.current = undefined
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (!/^Arrow(Left|Right)$/.test(event.key)) return
    const step = event.key === 'ArrowRight' ? stepPx : -stepPx
    event.preventDefault()
    event.stopPropagation()
    setSideWidth(width + step * direction())
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: a rule cannot be moved; this separator can (ARIA, window splitter).
    <div
      role="separator"
      aria-orientation="vertical"
      aria-label={t`Width of the sidebar`}
      aria-valuenow={width}
      aria-valuemin={widths.min}
      aria-valuemax={widths.max}
      tabIndex={0}
      className={styles.edge}
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onPointerUp={end}
      onPointerCancel={end}
      onDoubleClick={() => setSideWidth(widths.usual)}
      onKeyDown={onKeyDown}
    />
  )
}
