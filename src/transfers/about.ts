import { join } from 'node:path'
import type { Actor } from '#src/auth/actor.ts'
import type { Located } from '#src/files/jail/locate.ts'
import type { Hands } from '#src/files/trees/trees.ts'
import type { About } from '#src/hooks/hooks.ts'

/** The real path of a located entry. */
export function realOf({ folder, name }: Located): string {
  return join(folder.real, name)
}

/** Describes an operation for the commands bound to it. */
export function aboutOf(person: Actor, { jail, recheck }: Hands, from: Located): About {
  return { person, jail, recheck, file: realOf(from) }
}

/** Adds the destination to the description. */
export function toward(about: About, to: Located): About {
  return Object.assign(about, { to: realOf(to) })
}
