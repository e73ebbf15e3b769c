import { Trans } from '@lingui/react/macro'
import { page } from '#web/shared/page.ts'
import { Hint, Warning } from '#web/ui/form.tsx'

interface ExecOffProps {
  /** Fields that it explains name it as their description. */
  id: string
}

/** Tells administrators how to start Coffer where it runs no commands. Shows nothing anywhere else. */
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

/** Warns administrators where commands run without a sandbox. Shows nothing anywhere else. */
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
