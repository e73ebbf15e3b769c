import { proxy } from 'valtio'

/** One command and what came of it. */
export interface Run {
  id: number
  command: string
  /** The folder it ran in, decoded. */
  folder: string
  output: string
  /** A word on how it ended, when it did not end well. */
  end: string
}

/** The shell panel: kept while one moves around, lost on reload. */
export const shell = proxy({ isShown: false, isRunning: false, runs: [] as Run[], history: [] as string[] })

let opener: Element | null = null

/** Shows the panel or takes it away; the focus goes back to where it was. */
export function toggleShell(): void {
  shell.isShown = !shell.isShown
  if (shell.isShown) opener = document.activeElement
  else if (opener instanceof HTMLElement) opener.focus()
}
