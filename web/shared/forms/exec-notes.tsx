import { Trans } from '@lingui/react/macro'
import { page } from '#web/shared/page.ts'
import { Hint, Warning } from '#web/ui/form.tsx'

interface ExecOffProps {
  /** The id by which fields refer to it as their description. */
  id: string
}

/** Shows administrators how to enable commands. Renders nothing if commands are enabled. */
export function ExecOff({ id }: ExecOffProps) {
  if (page.EnableExec) return null
  return (
    <Hint id={id}>
      <Trans>
        Commands are turned off. To change this, start Coffer with <code>--enable-exec</code>.
      </Trans>
    </Hint>
  )
}

/** Warns administrators if commands run without a sandbox. Renders nothing otherwise. */
export function NoSandbox() {
  if (!page.EnableExec || page.ExecSandbox) return null
  return (
    <Warning>
      <Trans>
        Commands run without a sandbox. They can read and change everything the server can: all users' files,
        files that rules deny, and this instance's users and passwords. To protect these, start Coffer without{' '}
        <code>--exec-without-sandbox</code>.
      </Trans>
    </Warning>
  )
}
