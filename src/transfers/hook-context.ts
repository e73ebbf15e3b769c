import { join } from 'node:path'
import type { Actor } from '#src/access/principal.ts'
import type { Located } from '#src/files/jail/locate.ts'
import type { TreeContext } from '#src/files/trees/tree-context.ts'
import type { HookContext } from '#src/hooks/hooks.ts'

/** The real path of a located entry. */
export function realPathOf({ folder, name }: Located): string {
  return join(folder.real, name)
}

/** Describes an operation for the commands bound to it. */
export function hookContextOf(person: Actor, { jail, recheck }: TreeContext, from: Located): HookContext {
  return { person, jail, recheck, file: realPathOf(from) }
}

/** Adds the destination to the description. */
export function withDestination(about: HookContext, to: Located): HookContext {
  about.destination = realPathOf(to)
  return about
}
