import type { Permissions } from '#contract/users.ts'
import type { ActionContext } from '#web/actions/action.ts'
import { session } from '#web/app/session.ts'
import { chosen, files } from './files-state.ts'

const nothing: Permissions = {
  admin: false,
  execute: false,
  create: false,
  rename: false,
  modify: false,
  delete: false,
  share: false,
  download: false,
}

/** Where actions may act while a folder is shown. */
export function contextNow(): ActionContext {
  return {
    folder: files.file ? undefined : files.folder?.path,
    chosen: chosen(),
    may: session.user?.perm ?? nothing,
  }
}
