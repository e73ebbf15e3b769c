import { Trans } from '@lingui/react/macro'

/** Explains that new users have access to all files: as a warning in the settings and in the question before saving. */
export function AllFilesText() {
  return (
    <Trans>
      Everyone who signs up can see all files of this server, and change them as far as the user default
      settings allow. To keep new users apart, create a home folder for each of them, or set another default
      scope.
    </Trans>
  )
}
