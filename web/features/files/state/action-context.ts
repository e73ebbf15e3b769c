import type { Action, ActionContext } from '#web/actions/action.ts'
import { run } from '#web/actions/registry.ts'
import { origin } from '#web/api/origin.ts'
import { permissions } from '#web/shared/session.ts'
import { chosen, files, isFolderShown } from './files-state.ts'

/** The context in which actions run now. It is empty while another folder loads, and when the page shows no folder. */
export function contextNow(): ActionContext {
  return contextIn(isFolderShown())
}

/**
 * The context for which buttons are shown. While another folder loads, the buttons of the previous one stay visible,
 * but act on the current context (`runNow`).
 */
export function contextShown(): ActionContext {
  return contextIn(!files.file && !files.failure)
}

/** Runs the action of a pressed button, unless its context is gone. Returns whether something was done. */
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
