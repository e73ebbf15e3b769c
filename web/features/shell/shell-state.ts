import { proxy } from 'valtio'

/** One command and its output. */
export interface CommandRun {
  id: number
  command: string
  /** The folder in which it ran, decoded. */
  folder: string
  output: string
  /** The exit status or error; empty after success, and after a refusal, which the output shows. */
  end: string
}

/** The state of the shell panel. It survives navigation, but not a reload. */
export const shellState = proxy({
  isShown: false,
  isRunning: false,
  runs: [] as CommandRun[],
  history: [] as string[],
})

let opener: Element | null = null

/** Shows or hides the panel. Hiding returns the focus to the element that had it before. */
export function toggleShell(): void {
  shellState.isShown = !shellState.isShown
  if (shellState.isShown) opener = document.activeElement
  else if (opener instanceof HTMLElement) opener.focus()
}
