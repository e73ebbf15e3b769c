import { proxy } from 'valtio'
import { readStored, writeStored } from '#web/shared/preferences.ts'

/** The width of the sidebar, in pixels. */
export const widths = { min: 184, usual: 232, max: 420 }

/** The sidebar on wide screens, as the user left it on this device. */
export const side = proxy(read())

function read(): { width: number; isCollapsed: boolean } {
  const stored = readStored('side') ?? ''
  return { width: bounded(Number.parseInt(stored, 10) || widths.usual), isCollapsed: stored.endsWith('-') }
}

function bounded(width: number): number {
  return Math.max(widths.min, Math.min(Math.round(width), widths.max))
}

/** Sets the width, in pixels. A width outside the limits becomes the nearest one inside. */
export function setSideWidth(width: number): void {
  side.width = bounded(width)
  store()
}

/** Hides the names in the sidebar, or shows them again. */
export function toggleSide(): void {
  side.isCollapsed = !side.isCollapsed
  store()
}

function store(): void {
  writeStored('side', `${side.width}${side.isCollapsed ? '-' : ''}`)
}
