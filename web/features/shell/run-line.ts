import { i18n } from '@lingui/core'
import { runCommand } from '#web/api/command.ts'
import { codeOf, problemText } from '#web/api/problems/problem-text.ts'
import { type CommandRun, shellState, toggleShell } from './shell-state.ts'

// Limits that keep the page fast: output lines of one command, and commands. The newest stay.
const maxLines = 5000
const maxRuns = 100

let running: AbortController | undefined
let count = 0

/**
 * Runs a command line in the folder at `folder`: `clear` and `exit` in the page, everything else on the server. Returns
 * whether a command ran on the server.
 */
export async function runCommandLine(line: string, folder: string): Promise<boolean> {
  const command = line.trim()
  if (!command || shellState.isRunning) return false
  if (shellState.history.at(-1) !== command) shellState.history.push(command)
  if (command === 'clear') shellState.runs = []
  else if (command === 'exit') toggleShell()
  else {
    await runOnServer(command, folder)
    return true
  }
  return false
}

/** Stops the running command. */
export function stopCommand(): void {
  running?.abort()
}

async function runOnServer(command: string, folder: string): Promise<void> {
  shellState.runs.push({ id: ++count, command, folder, output: '', end: '' })
  shellState.runs.splice(0, shellState.runs.length - maxRuns)
  const run = shellState.runs.at(-1) as CommandRun
  const lines: string[] = []
  let frame = 0
  const draw = () => {
    frame = 0
    run.output = lines.join('\n').trimEnd()
  }
  const onLine = (line: string) => {
    lines.push(line)
    if (lines.length > 2 * maxLines) lines.splice(0, lines.length - maxLines)
    frame ||= requestAnimationFrame(draw)
  }
  shellState.isRunning = true
  running = new AbortController()
  try {
    const end = await runCommand(folder, command, { onLine, signal: running.signal })
    run.end = ['exit 0', 'refused'].includes(end) ? '' : end
  } catch (error) {
    run.end = i18n._(problemText(codeOf(error)))
  } finally {
    cancelAnimationFrame(frame)
    draw()
    shellState.isRunning = false
  }
}
