import { Plural } from '@lingui/react/macro'

interface CountsProps {
  folders: number
  files: number
}

/** The number of folders and files. */
export function Counts({ folders, files }: CountsProps) {
  return (
    <>
      <Plural value={folders} one="# folder" other="# folders" />
      {', '}
      <Plural value={files} one="# file" other="# files" />
    </>
  )
}
