import { Trans } from '@lingui/react/macro'

/** Explains that new users have access to all files: as a warning in the settings and in the question before saving. */
export function AllFilesText() {
  return (
    <Trans>
      Everyone who signs up can see all files on this server and change them if the user default settings
      allow it. To keep new users separate, create a home folder for each new user or set another default home
      folder.
    </Trans>
  )
}
