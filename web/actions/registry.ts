import { i18n } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import type { Permissions } from '#contract/users.ts'
import { codeOf, problemText } from '#web/api/problem-text.ts'
import { tell } from '#web/ui/toasts.ts'
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

/** What somebody may do who is not signed in. */
export const nothing = every(false)

const actions = new Map<string, Action>()

/** Adds actions; the page's start does so once for every feature. */
export function register(...more: Action[]): void {
  for (const action of more) actions.set(action.id, action)
}

/** The actions of these names that make sense now, in this order. */
export function offered(ids: readonly string[], context: ActionContext): Action[] {
  return ids.flatMap((id) => actions.get(id) ?? []).filter((action) => action.visible(context))
}

/** Runs an action; what the server refuses is told. Answers whether something was done. */
export async function run(action: Action, context: ActionContext): Promise<boolean> {
  try {
    return (await action.run(context)) === true
  } catch (error) {
    const code = codeOf(error)
    if (code !== 'network.aborted') tell('error', i18n._(problemText(code)))
    return false
  }
}

/** Runs the action a key stands for, or says that the right to it is missing; false when there is none. */
export function runKey(event: KeyboardEvent, context: ActionContext): boolean {
  const pressed = keyOf(event)
  const meant = [...actions.values()].filter((one) => one.keys?.includes(pressed))
  const found = meant.find((one) => one.visible(context))
  // Behind a link, no right is missing from the account, so no message is shown.
  const barred = context.isLink
    ? undefined
    : meant.find((one) => one.visible({ ...context, may: everything }))
  if (found) void run(found, context)
  else if (barred) tell('error', i18n._(msg`You don't have permission for this: ${i18n._(barred.label)}`))
  return found !== undefined || barred !== undefined
}

/** The name of a key press as actions write it. */
export function keyOf({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent): string {
  const held = [(ctrlKey || metaKey) && 'Mod', altKey && 'Alt', shiftKey && 'Shift'].filter(Boolean)
  return [...held, key.length === 1 ? key.toLowerCase() : key].join('+')
}
