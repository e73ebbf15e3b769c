import { msg } from '@lingui/core/macro'
import { FileUp, FolderUp } from 'lucide-react'
import type { Action, ActionContext } from '#web/actions/action.ts'
import { wishesOf } from './gather.ts'
import { enqueue } from './uploads-state.ts'

const visible = ({ folder, may }: ActionContext) => folder !== undefined && may.create

/** What a person can choose to upload. */
export const uploadsActions: Action[] = [
  {
    id: 'upload-files',
    label: msg`Upload files`,
    icon: FileUp,
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

function choose(folder: string, isFolder: boolean): void {
  const input = document.createElement('input')
  input.type = 'file'
  input.multiple = true
  input.webkitdirectory = isFolder
  input.onchange = () => enqueue(folder, wishesOf(input.files ?? []))
  input.click()
}
