import type { Principal } from '#src/access/principal.ts'
import type { Recheck } from '#src/core/problem.ts'
import type { Jail } from '#src/files/paths/scope.ts'

/** The operations that commands can be bound to. */
export type HookEvent = 'upload' | 'save' | 'copy' | 'rename' | 'delete' | 'publish'

/** The user and the paths of an operation. Paths are real paths. */
export interface HookContext {
  person: Principal
  jail: Jail
  file: string
  /** Undefined: no destination. Commands then get the scope (contract/compatibility.md#bound-commands). */
  destination?: string
  /** Checks that the user may still do the operation, because it may have waited for a command. */
  recheck: Recheck
}

/** What runs before and after operations: the commands that administrators have bound to them. */
export interface Hooks {
  /**
   * Runs the commands bound before an event. Refuses names that the commands bound before or after the event cannot
   * receive. If it throws, the operation must not be done.
   *
   * @throws Problem `hook.before` when a command fails, `hook.name`, and the problems of `about.recheck`.
   */
  before(event: HookEvent, about: HookContext): Promise<void>
  /** Runs the commands bound after an event. @throws Problem `hook.after` when one fails; the operation is done. */
  after(event: HookEvent, about: Omit<HookContext, 'recheck'>): Promise<void>
  /**
   * Repeats the check of `before` at the end of a long operation, such as an upload in pieces.
   *
   * @throws Problem `hook.name` when commands are bound to the event and one of its paths is not UTF-8.
   */
  refuseNonUtf8(event: HookEvent, about: Omit<HookContext, 'recheck'>): void
}
