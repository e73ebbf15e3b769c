import type { Action, ActionContext } from '#web/actions/action.ts'
import { runAction } from '#web/actions/registry.ts'
import { origin } from '#web/api/origin.ts'
import { permissions } from '#web/shared/session.ts'
import { files, isFolderShown, selectedItems } from './files-state.ts'

/** The context in which actions run now. It is empty while another folder loads, and when the page shows no folder. */
export function currentContext(): ActionContext {
  return contextIn(isFolderShown())
}

/**
 * The context for which buttons are shown. While another folder loads, the buttons of the previous one stay visible,
 * but act on the current context (`runInCurrentContext`).
 */
export function shownContext(): ActionContext {
  return contextIn(!files.file && !files.failure)
}

/** Runs the action of a pressed button, unless its context is gone. Returns whether something was done. */
export async function runInCurrentContext(action: Action): Promise<boolean> {
  const context = currentContext()
  return action.visible(context) && runAction(action, context)
}

function contextIn(isFolder: boolean): ActionContext {
  return {
    folder: isFolder ? files.folder?.path : undefined,
    hasNoFolder: files.failure !== undefined,
    chosen: isFolder ? selectedItems() : [],
    may: permissions(),
    isShare: origin.link !== undefined,
  }
}
