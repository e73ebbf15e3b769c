import type { Action, ActionContext } from '#web/actions/action.ts'
import { run } from '#web/actions/registry.ts'
import { origin } from '#web/api/origin.ts'
import { permissions } from '#web/shared/session.ts'
import { chosen, files, isFolderShown } from './files-state.ts'

/** Where actions act now: nowhere while another folder is on its way, or what is shown is no folder. */
export function contextNow(): ActionContext {
  return contextIn(isFolderShown())
}

/**
 * What buttons are shown for: while another folder is on its way, those of the one before stay where they are. Pressed,
 * they act on what is there then (`runNow`).
 */
export function contextShown(): ActionContext {
  return contextIn(!files.file && !files.failure)
}

/** Runs an action whose button was pressed, unless what it was shown for is going. Answers whether something was done. */
export async function runNow(action: Action): Promise<boolean> {
  const context = contextNow()
  return action.visible(context) && run(action, context)
}

function contextIn(isFolder: boolean): ActionContext {
  return {
    folder: isFolder ? files.folder?.path : undefined,
    isAway: files.failure !== undefined,
    chosen: isFolder ? chosen() : [],
    may: permissions(),
    isLink: origin.link !== undefined,
  }
}
