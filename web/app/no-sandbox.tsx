import { Trans } from '@lingui/react/macro'
import { Warning } from '#web/ui/form.tsx'
import { page } from './page.ts'

/** Warns administrators where commands run without a sandbox. Shows nothing anywhere else. */
export function NoSandbox() {
  if (!page.EnableExec || page.ExecSandbox) return null
  return (
    <Warning>
      <Trans>
        Commands run without a sandbox. They can read and change everything that the server can: the files of
        all users, files that rules deny, and the users and passwords of this instance. To protect these,
        start the server without <code>--exec-without-sandbox</code>.
      </Trans>
    </Warning>
  )
}
