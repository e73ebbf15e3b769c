import type { MessageDescriptor } from '@lingui/core'
import type { LucideIcon } from 'lucide-react'
import type { Item } from '#contract/resources.ts'
import type { Permissions } from '#contract/users.ts'

/** The state of the page that an action works on. */
export interface ActionContext {
  /** The decoded path of the folder that is shown, with a closing slash; undefined if none is shown. */
  folder: string | undefined
  /** True if no folder is shown or loading. Actions that need a folder then ask for one. */
  hasNoFolder?: boolean
  /** The selected items, in the order of the list. */
  chosen: readonly Item[]
  may: Permissions
  /** A share is shown to a visitor: only viewing and downloading are possible. */
  isShare: boolean
}

/** An action of the user. Toolbar, menus, shortcuts and the selection bar all use this definition. */
export interface Action {
  id: string
  label: MessageDescriptor
  icon: LucideIcon
  /** For example `Alt+ArrowUp`. `Mod` is Cmd on Apple devices and Ctrl elsewhere. */
  keys?: readonly string[]
  visible(context: ActionContext): boolean
  /** Returns true if something was done whose button should show the success. */
  run(context: ActionContext): void | Promise<void> | Promise<boolean>
}
