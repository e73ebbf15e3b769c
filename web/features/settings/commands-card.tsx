import { msg } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import type { ReactNode } from 'react'
import { NoSandbox } from '#web/app/no-sandbox.tsx'
import { entryOf } from '#web/ui/entry-of.ts'
import { Card, Hint, TextArea } from '#web/ui/form.tsx'
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
}

interface CommandsCardProps {
  /** Text by event, one command a line. */
  lines: Readonly<Record<string, string>>
  footer: ReactNode
}

/** The commands that run at events, one folded text each (specification, section 2). */
export function CommandsCard({ lines, footer }: CommandsCardProps) {
  const { t, i18n } = useLingui()
  return (
    <Card title={t`Command runner`}>
      <NoSandbox />
      <Hint>
        <Trans>
          One command per line. The variables <code>FILE</code> and <code>SCOPE</code> hold the file and the
          user's folder.
        </Trans>
      </Hint>
      <Hint>
        <Trans>
          These commands run outside the sandbox, with the rights of the server. Write <code>--</code> before{' '}
          <code>$USERNAME</code>, so that no name becomes an option.
        </Trans>
      </Hint>
      <div>
        {Object.entries(lines).map(([event, text]) => {
          const known = entryOf(titles, event)
          const title = known ? i18n._(known) : event
          return (
            <details key={event} className={styles.event}>
              <summary>{title}</summary>
              <TextArea
                label={title}
                dir="ltr"
                value={text}
                onChange={(value) => {
                  const { draft } = settingsState
                  if (draft) draft.commands = { ...draft.commands, [event]: value }
                }}
              />
            </details>
          )
        })}
      </div>
      {footer}
    </Card>
  )
}
