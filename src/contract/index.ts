import { auth } from './auth.ts'
import { doctor } from './doctor.ts'
import { audit } from './history/audit.ts'
import { bookmarks } from './history/bookmarks.ts'
import { events } from './history/events.ts'
import { held } from './history/held.ts'
import { kept } from './history/kept.ts'
import { operations } from './history/operations.ts'
import { shareUse } from './history/share-use.ts'
import { metadata } from './metadata.ts'
import { mail } from './notices/mail.ts'
import { notices } from './notices/notices.ts'
import { webhook } from './notices/webhook.ts'
import { previews } from './previews.ts'
import { publish } from './publish.ts'
import { resources, tus } from './resources.ts'
import { settings } from './settings.ts'
import { shares } from './shares.ts'
import { system } from './system.ts'
import { commands } from './tools/commands.ts'
import { search } from './tools/search.ts'
import { users } from './users.ts'
import { visits } from './visits.ts'

/** All endpoints of the server. Web code imports only the type. */
export const contract = {
  ...auth,
  ...resources,
  ...tus,
  ...previews,
  ...metadata,
  ...search,
  ...shares,
  ...visits,
  ...shareUse,
  ...users,
  ...settings,
  ...commands,
  ...publish,
  ...doctor,
  ...events,
  ...operations,
  ...audit,
  ...kept,
  ...bookmarks,
  ...notices,
  ...webhook,
  ...mail,
  ...held,
  ...system,
}
export type Contract = typeof contract
