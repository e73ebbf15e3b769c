import { useLingui } from '@lingui/react/macro'
import { CircleStop, Eraser, X } from 'lucide-react'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { useSnapshot } from 'valtio'
import { nameOf } from '#web/shared/paths.ts'
import { Button } from '#web/ui/button.tsx'
import { ownEntry } from '#web/ui/format/entry-of.ts'
import { runCommandLine, stopCommand } from './run-line.ts'
import styles from './shell-panel.module.css'
import { shellState, toggleShell } from './shell-state.ts'

interface ShellPanelProps {
  /** The shown folder, decoded. Commands run in it. */
  folder: string
  /** Called when a command may have changed the folder. */
  onChange(): void
}

/** Runs commands in the shown folder and shows their output. */
export function ShellPanel({ folder, onChange }: ShellPanelProps) {
  const { t } = useLingui()
  const { runs, isRunning } = useSnapshot(shellState)
  const input = useRef<HTMLInputElement>(null)
  const output = useRef<HTMLDivElement>(null)
  useEffect(() => input.current?.focus(), [])
  // biome-ignore lint/correctness/useExhaustiveDependencies: scrolls to new output.
  useEffect(() => {
    output.current?.scrollTo(0, output.current.scrollHeight)
  }, [runs])
  const run = async (line: string) => {
    if (await runCommandLine(line, folder)) onChange()
  }
  return (
    <section className={styles.panel} aria-label={t`Shell`} data-part="shell">
      <header>
        <h2>{t`Shell`}</h2>
        {isRunning && (
          <Button variant="quiet" icon={CircleStop} iconOnly label={t`Stop`} onClick={stopCommand} />
        )}
        <Button
          variant="quiet"
          icon={Eraser}
          iconOnly
          label={t`Clear`}
          onClick={() => {
            shellState.runs = []
            input.current?.focus()
          }}
        />
        <Button variant="quiet" icon={X} iconOnly label={t`Close`} onClick={toggleShell} />
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must be able to scroll it. */}
      <div ref={output} className={styles.output} role="log" aria-label={t`Output`} tabIndex={0}>
        {runs.map(({ id, command, folder, output, end }) => (
          <div key={id}>
            <p className={styles.command}>
              <bdi>{nameOf(folder) || '/'}</bdi> &gt; {command}
            </p>
            {output && <pre>{output}</pre>}
            {end && <p className={styles.end}>{end}</p>}
          </div>
        ))}
      </div>
      <CommandLine place={nameOf(folder) || '/'} isRunning={isRunning} input={input} onRun={run} />
    </section>
  )
}

interface CommandLineProps {
  place: string
  isRunning: boolean
  input: React.RefObject<HTMLInputElement | null>
  onRun(line: string): void
}

/** The input line. Arrow keys browse the history. */
function CommandLine({ place, isRunning, input, onRun }: CommandLineProps) {
  const { t } = useLingui()
  const [line, setLine] = useState('')
  const [historyOffset, setHistoryOffset] = useState(0)
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'Escape') return isRunning ? stopCommand() : toggleShell()
    const by = ownEntry({ ArrowUp: 1, ArrowDown: -1 }, event.key)
    if (!by) return
    event.preventDefault()
    const next = Math.max(0, Math.min(historyOffset + by, shellState.history.length))
    setHistoryOffset(next)
    setLine(next === 0 ? '' : (shellState.history.at(-next) ?? ''))
  }
  return (
    <form
      className={styles.line}
      onSubmit={(event) => {
        event.preventDefault()
        if (isRunning) return
        setLine('')
        setHistoryOffset(0)
        onRun(line)
      }}
    >
      <bdi aria-hidden>{place} &gt;</bdi>
      <input
        ref={input}
        aria-label={t`Command`}
        dir="ltr"
        value={line}
        readOnly={isRunning}
        aria-disabled={isRunning}
        onChange={(event) => setLine(event.target.value)}
        onKeyDown={onKeyDown}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
      />
    </form>
  )
}
