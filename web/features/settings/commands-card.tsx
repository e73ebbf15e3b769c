import { Trans } from '@lingui/react/macro'
import { useId } from 'react'
import { ExecOff, NoSandbox } from '#web/shared/forms/exec-notes.tsx'
import { Folded } from '#web/shared/forms/folded.tsx'
import { page } from '#web/shared/page.ts'
import { isHookField } from '#web/shared/settings/global-texts.ts'
import { useSettingTexts } from '#web/shared/settings/texts.ts'
import { Field } from '#web/ui/field.tsx'
import { Card, Hint, TextArea } from '#web/ui/form.tsx'
import { ownEntry } from '#web/ui/format/entry-of.ts'
import { settingsState } from './settings-state.ts'

interface CommandsCardProps {
  /** Command lines by event, one command per line. */
  lines: Readonly<Record<string, string>>
  /** The command of the shell that runs the lines, with its arguments; empty: none. */
  shell: string
}

/**
 * The shell, and the commands that run at events, in one folded field per event. Read-only if the instance runs no
 * commands.
 */
export function CommandsCard({ lines, shell }: CommandsCardProps) {
  const { field, card } = useSettingTexts()
  const note = useId()
  const change = (event: string, text: string) => {
    const { draft } = settingsState
    if (draft && ownEntry(draft.commands, event) !== text)
      draft.commands = { ...draft.commands, [event]: text }
  }
  return (
    <Card {...card('global.commands')}>
      <ExecOff id={note} />
      <NoSandbox />
      <Field
        {...field('global.shell')}
        valuePath="shell"
        placeholder="bash -c, cmd /c"
        spellCheck={false}
        dir="ltr"
        autoCapitalize="none"
        readOnly={!page.EnableExec}
        aria-describedby={page.EnableExec ? undefined : note}
        value={shell}
        onChange={(event) => {
          if (settingsState.draft) settingsState.draft.shell = event.target.value
        }}
      />
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
      {shell.trim() !== '' && (
        <Hint>
          <Trans>
            The configured shell runs each line. Put variables in double quotes, as in <code>"$FILE"</code>.
          </Trans>
        </Hint>
      )}
      <div>
        {Object.entries(lines).map(([event, text]) => {
          const name = `global.${event}`
          // A state may have commands for events of another product.
          const texts = isHookField(name) ? field(name) : { label: event }
          return (
            <Folded key={event} title={texts.label}>
              <TextArea
                {...texts}
                at={`commands.${event}`}
                dir="ltr"
                value={text}
                readOnly={!page.EnableExec}
                aria-describedby={page.EnableExec ? undefined : note}
                onChange={(value) => change(event, value)}
                onBlur={() => page.EnableExec && change(event, text.trim())}
              />
            </Folded>
          )
        })}
      </div>
    </Card>
  )
}
