import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import type { ShareRights } from '#contract/shares.ts'

/** Whether a link with these rights gives files away, and whether it receives some. */
export const gives = (rights: ShareRights) => ['download', 'upload-view', 'edit'].includes(rights)
export const receives = (rights: ShareRights) => ['upload', 'upload-view', 'edit'].includes(rights)

/** Whether visitors see the files of the folder. */
export const showsFiles = (rights: ShareRights) => rights !== 'upload'

/** The names of the rights, in the order of a choice. */
export const rightsNames: readonly (readonly [ShareRights, MessageDescriptor])[] = [
  ['view', msg`View only`],
  ['download', msg`View and download`],
  ['upload', msg`Upload only`],
  ['upload-view', msg`Upload and see`],
  ['edit', msg`Edit`],
]

/** What visitors can do with these rights. `download` needs no explanation. */
export const rightsHelp: Partial<Record<ShareRights, MessageDescriptor>> = {
  view: msg`Visitors see the content, but can't download it.`,
  upload: msg`Visitors send files. They don't see what is in the folder.`,
  'upload-view': msg`Visitors send files. They also see and download what is in the folder.`,
  edit: msg`Visitors see, download, add, change, rename and delete files.`,
}

/** The name of the rights. */
export function rightsName(rights: ShareRights): MessageDescriptor {
  return rightsNames.find(([one]) => one === rights)?.[1] ?? msg`View and download`
}
