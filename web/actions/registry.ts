import { i18n } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import type { Permissions } from '#contract/users.ts'
import { codeOf, problemText } from '#web/api/problems/problem-text.ts'
import { showToast } from '#web/ui/toasts/toasts.ts'
import type { Action, ActionContext } from './action.ts'

function every(may: boolean): Permissions {
  return {
    admin: may,
    execute: may,
    create: may,
    rename: may,
    modify: may,
    delete: may,
    share: may,
    download: may,
  }
}

const everything = every(true)

/** The permissions of a visitor who is not signed in: none. */
export const noPermissions = every(false)

const actions = new Map<string, Action>()

/** Registers actions. Called once at start with the actions of every feature. */
export function registerActions(...more: Action[]): void {
  for (const action of more) actions.set(action.id, action)
}

/** The actions with these ids that are available now, in this order. */
export function availableActions(ids: readonly string[], context: ActionContext): Action[] {
  return ids.flatMap((id) => actions.get(id) ?? []).filter((action) => action.visible(context))
}

/** All actions that are available now. */
export function visibleActions(context: ActionContext): Action[] {
  return [...actions.values()].filter((action) => action.visible(context))
}

/** Runs an action and shows a refusal of the server as a message. Returns whether something was done. */
export async function runAction(action: Action, context: ActionContext): Promise<boolean> {
  try {
    return (await action.run(context)) === true
  } catch (error) {
    const code = codeOf(error)
    if (code !== 'network.aborted') showToast('error', i18n._(problemText(code)))
    return false
  }
}

/** Runs the action of a shortcut, or shows that the permission is missing. Returns false if there is no such action. */
export function runShortcut(event: KeyboardEvent, context: ActionContext): boolean {
  const pressed = keyOf(event)
  const matching = [...actions.values()].filter((one) => one.keys?.includes(pressed))
  const found = matching.find((one) => one.visible(context))
  // A visitor of a share has no account that could lack a permission, so no message is shown.
  const forbidden = context.isShare
    ? undefined
    : matching.find((one) => one.visible({ ...context, may: everything }))
  if (found) void runAction(found, context)
  else if (forbidden)
    showToast('error', i18n._(msg`You don't have permission for this: ${i18n._(forbidden.label)}`))
  return found !== undefined || forbidden !== undefined
}

/** The name of a key press in the notation of `Action.keys`. */
export function keyOf({ key, code, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent): string {
  const held = [(ctrlKey || metaKey) && 'Mod', altKey && 'Alt', shiftKey && 'Shift'].filter(Boolean)
  // On Apple devices, Alt with a letter types another character or an accent.
  const letter = altKey && (key === 'Dead' || key > '\x7f') ? /^Key(.)$/.exec(code)?.[1] : undefined
  const typed = letter ?? key
  return [...held, typed.length === 1 ? typed.toLowerCase() : typed].join('+')
}
