import { msg } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { type ReactNode, useContext, useEffect, useId, useRef } from 'react'
import { ExecOff, NoSandbox } from '#web/shared/forms/exec-notes.tsx'
import { page } from '#web/shared/page.ts'
import { Refusal } from '#web/ui/field.tsx'
import { Card, Hint, TextArea } from '#web/ui/form.tsx'
import { ownEntry } from '#web/ui/format/entry-of.ts'
import styles from './commands-card.module.css'
import { settingsState } from './settings-state.ts'

const titles = {
  before_save: msg`Before save`,
  after_save: msg`After save`,
  before_copy: msg`Before copy`,
  after_copy: msg`After copy`,
  before_rename: msg`Before rename`,
  after_rename: msg`After rename`,
  before_upload: msg`Before upload`,
  after_upload: msg`After upload`,
  before_delete: msg`Before delete`,
  after_delete: msg`After delete`,
  before_publish: msg`Before publish`,
  after_publish: msg`After publish`,
}

interface CommandsCardProps {
  /** Command lines by event, one command per line. */
  lines: Readonly<Record<string, string>>
  /** Whether a shell runs the lines. */
  hasShell: boolean
}

/** The commands that run at events, in one collapsible field per event. Read-only if the instance runs no commands. */
export function CommandsCard({ lines, hasShell }: CommandsCardProps) {
  const { t, i18n } = useLingui()
  const note = useId()
  const change = (event: string, text: string) => {
    const { draft } = settingsState
    if (draft && ownEntry(draft.commands, event) !== text)
      draft.commands = { ...draft.commands, [event]: text }
  }
  return (
    <Card title={t`Command runner`}>
      <ExecOff id={note} />
      <NoSandbox />
      <Hint>
        <Trans>
          One command per line. The variables <code>FILE</code> and <code>SCOPE</code> hold the file and the
          user's folder.
        </Trans>
      </Hint>
      <Hint>
        <Trans>
          These commands run outside the sandbox, with the server's permissions. Put <code>--</code> before{' '}
          <code>$USERNAME</code> so that a name can't act as an option.
        </Trans>
      </Hint>
      {hasShell && (
        <Hint>
          <Trans>
            The configured shell runs each line. Put variables in double quotes, as in <code>"$FILE"</code>.
          </Trans>
        </Hint>
      )}
      <div>
        {Object.entries(lines).map(([event, text]) => {
          const known = ownEntry(titles, event)
          const title = known ? i18n._(known) : event
          return (
            <Event key={event} title={title} at={`commands.${event}`}>
              <TextArea
                label={title}
                at={`commands.${event}`}
                dir="ltr"
                value={text}
                readOnly={!page.EnableExec}
                aria-describedby={page.EnableExec ? undefined : note}
                onChange={(value) => change(event, value)}
                onBlur={() => page.EnableExec && change(event, text.trim())}
              />
            </Event>
          )
        })}
      </div>
    </Card>
  )
}

/** The command lines of one event. Opens when the server rejects them. */
function Event({ title, at, children }: { title: string; at: string; children: ReactNode }) {
  const details = useRef<HTMLDetailsElement>(null)
  const refused = useContext(Refusal)
  useEffect(() => {
    if (details.current && refused?.field === at) details.current.open = true
  }, [refused, at])
  return (
    <details ref={details} className={styles.event}>
      <summary>{title}</summary>
      {children}
    </details>
  )
}
