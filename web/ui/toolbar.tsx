import { type KeyboardEvent, type ReactNode, useEffect, useRef } from 'react'

interface ToolbarProps {
  /** Its accessible name. */
  label: string
  className?: string | undefined
  inert?: boolean
  /** For style sheets and tests. */
  part?: string
  children: ReactNode
}

/**
 * A group of buttons with one stop for the Tab key, between which the arrow keys move (ARIA, toolbar pattern). Buttons
 * that the style sheet hides are left out.
 */
export function Toolbar({ label, className, inert, part, children }: ToolbarProps) {
  const bar = useRef<HTMLDivElement>(null)
  const stop = useRef<HTMLElement>(null)
  const update = () => {
    const all = buttonsIn(bar.current)
    if (!stop.current || !all.includes(stop.current)) stop.current = all[0] ?? null
    for (const one of all) one.tabIndex = one === stop.current ? 0 : -1
  }
  // Also after a change of the buttons, which the bar does not know about.
  useEffect(update)
  useEffect(() => {
    addEventListener('resize', update)
    return () => removeEventListener('resize', update)
  })
  const onKeyDown = (event: KeyboardEvent) => {
    const all = buttonsIn(bar.current)
    const next = target(event.key, all, all.indexOf(event.target as HTMLElement))
    if (!next) return
    event.preventDefault()
    event.stopPropagation()
    next.focus()
  }
  return (
    <div
      ref={bar}
      role="toolbar"
      aria-label={label}
      className={className}
      inert={inert}
      data-part={part}
      onKeyDown={onKeyDown}
      onFocus={({ target }) => {
        if (!buttonsIn(bar.current).includes(target)) return
        stop.current = target
        update()
      }}
    >
      {children}
    </div>
  )
}

/** The visible buttons, from the start to the end. */
function buttonsIn(bar: HTMLElement | null): HTMLElement[] {
  const all = [...(bar?.querySelectorAll<HTMLElement>('button, a, input') ?? [])]
  return all.filter((one) => one.getClientRects().length > 0)
}

function target(key: string, all: readonly HTMLElement[], at: number): HTMLElement | undefined {
  const isRightToLeft = document.documentElement.dir === 'rtl'
  if (at < 0) return undefined
  if (key === 'Home') return all[0]
  if (key === 'End') return all.at(-1)
  if (key === (isRightToLeft ? 'ArrowLeft' : 'ArrowRight')) return all[(at + 1) % all.length]
  if (key === (isRightToLeft ? 'ArrowRight' : 'ArrowLeft')) return all.at(at - 1)
  return undefined
}
