import { archives } from './archives.ts'
import { clients } from './clients.ts'
import { details } from './details.ts'
import { instance } from './instance.ts'
import { pieces } from './pieces.ts'
import { raw } from './raw.ts'
import { resources } from './resources.ts'
import type { Rule } from './rule.ts'
import { search } from './search.ts'
import { session } from './session.ts'
import { shapes } from './shapes.ts'
import { shares } from './shares.ts'
import { transfers } from './transfers.ts'
import { uploads } from './uploads.ts'
import { users } from './users.ts'

/** Every rule of the contract that can be observed from outside. */
export const rules: readonly Rule[] = [
  ...shapes,
  ...session,
  ...resources,
  ...uploads,
  ...pieces,
  ...details,
  ...transfers,
  ...raw,
  ...archives,
  ...search,
  ...shares,
  ...users,
  ...instance,
  ...clients,
]
