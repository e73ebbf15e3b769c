import { Plural } from '@lingui/react/macro'

interface CountsProps {
  folders: number
  files: number
}

/** The number of folders and files, without the kind of which there are none. */
export function Counts({ folders, files }: CountsProps) {
  const allFolders = <Plural value={folders} one="# folder" other="# folders" />
  const allFiles = <Plural value={files} one="# file" other="# files" />
  if (folders === 0) return allFiles
  if (files === 0) return allFolders
  return (
    <>
      {allFolders}, {allFiles}
    </>
  )
}
