import { settingsCalls } from '#src/administration/settings-calls.ts'
import { type UserSources, userCalls } from '#src/administration/users-calls.ts'
import type { Audit } from '#src/audit/audit.ts'
import { auditCalls } from '#src/audit/audit-calls.ts'
import { recordCommands } from '#src/audit/record-commands.ts'
import type { Backup } from '#src/backup/backup.ts'
import { backupCalls } from '#src/backup/backup-calls.ts'
import { type KeptSources, keptCalls } from '#src/kept/kept-calls.ts'
import type { Settings } from '#src/settings/settings.ts'

/** What the control calls need: services of a running server, or of a command while no server runs. */
export interface ControlCallSources extends UserSources, KeptSources {
  settings: Settings
  backup: Backup
  audit: Audit
}

/** Creates every control call that commands of this machine can run. */
export function createControlCalls(sources: ControlCallSources) {
  const all = {
    ...userCalls(sources),
    ...settingsCalls(sources),
    ...backupCalls(sources),
    ...auditCalls(sources),
    ...keptCalls(sources),
  }
  return recordCommands(all, sources.audit)
}

/** All control calls by name, with the types of their inputs and outputs. */
export type AllControlCalls = ReturnType<typeof createControlCalls>
