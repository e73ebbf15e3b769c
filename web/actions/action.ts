import type { MessageDescriptor } from '@lingui/core'
import type { LucideIcon } from 'lucide-react'
import type { Item } from '#contract/resources.ts'
import type { Permissions } from '#contract/users.ts'

/** Where an action may act. */
export interface ActionContext {
  /** The decoded path of the folder that is shown, with a closing slash; undefined while something else is. */
  folder: string | undefined
  /** The page shows no folder and none is on its way: what needs a folder asks for one. */
  isAway?: boolean
  /** The selected items, in the order of the list. */
  chosen: readonly Item[]
  may: Permissions
  /** A shared link is shown: only viewing and downloading are possible. */
  isLink: boolean
}

/** One thing a person can do. Toolbar, menus, keys and the selection bar all read this and nothing else. */
export interface Action {
  id: string
  label: MessageDescriptor
  icon: LucideIcon
  /** As in `Alt+ArrowUp`; `Mod` is Cmd on Apple's machines and Ctrl elsewhere. */
  keys?: readonly string[]
  visible(context: ActionContext): boolean
  /** Answers true when something was done of which its button is to tell. */
  run(context: ActionContext): void | Promise<void> | Promise<boolean>
}
