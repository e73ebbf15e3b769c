import { msg } from '@lingui/core/macro'
import { FileUp, FolderUp } from 'lucide-react'
import type { Action, ActionContext } from '#web/actions/action.ts'
import { enqueueFiles } from './enqueue.ts'

const visible = ({ folder, may }: ActionContext) => folder !== undefined && may.create

/** The actions that choose files or a folder to upload. */
export const uploadsActions: Action[] = [
  {
    id: 'upload-files',
    label: msg`Upload files`,
    icon: FileUp,
    keys: ['Alt+u', 'u'],
    visible,
    run: ({ folder }) => choose(folder ?? '/', false),
  },
  {
    id: 'upload-folder',
    label: msg`Upload a folder`,
    icon: FolderUp,
    visible,
    run: ({ folder }) => choose(folder ?? '/', true),
  },
]

/** Opens the browser's file chooser. Resolves when all chosen files are in the queue, or when none was chosen. */
async function choose(folder: string, isFolder: boolean): Promise<void> {
  const input = document.createElement('input')
  input.type = 'file'
  input.multiple = true
  input.webkitdirectory = isFolder
  const files = await new Promise<FileList | null>((resolve) => {
    input.onchange = () => resolve(input.files)
    input.oncancel = () => resolve(null)
    input.click()
  })
  if (files?.length) await enqueueFiles(folder, files)
}
