import { settingsOperations } from '#src/administration/settings-operations.ts'
import { type UserSources, userOperations } from '#src/administration/users-operations.ts'
import type { Audit } from '#src/audit/audit.ts'
import { auditOperations } from '#src/audit/audit-operations.ts'
import { recordCommands } from '#src/audit/record-commands.ts'
import type { Backup } from '#src/backup/backup.ts'
import { backupOperations } from '#src/backup/backup-operations.ts'
import { type KeptSources, keptOperations } from '#src/kept/kept-operations.ts'
import type { Settings } from '#src/settings/settings.ts'

/** What the operations need: services of a running server, or of a command while no server runs. */
export interface OperationSources extends UserSources, KeptSources {
  settings: Settings
  backup: Backup
  audit: Audit
}

/** Creates every operation that commands of this machine can run. */
export function createOperations(sources: OperationSources) {
  const all = {
    ...userOperations(sources),
    ...settingsOperations(sources),
    ...backupOperations(sources),
    ...auditOperations(sources),
    ...keptOperations(sources),
  }
  return recordCommands(all, sources.audit)
}

/** All operations by name, with the types of their inputs and outputs. */
export type AllOperations = ReturnType<typeof createOperations>
