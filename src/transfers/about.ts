import { join } from 'node:path'
import type { Actor } from '#src/auth/actor.ts'
import type { Located } from '#src/files/jail/locate.ts'
import type { Hands } from '#src/files/trees/trees.ts'
import type { About } from '#src/hooks/hooks.ts'

/** Where a located thing really is. */
export function realOf({ folder, name }: Located): string {
  return join(folder.real, name)
}

/** What bound commands are told of a deed. */
export function aboutOf(person: Actor, { jail, recheck }: Hands, from: Located): About {
  return { person, jail, recheck, file: realOf(from) }
}

/** The same when it is known where to. */
export function toward(about: About, to: Located): About {
  return Object.assign(about, { to: realOf(to) })
}
