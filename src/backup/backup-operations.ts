import Type from 'typebox'
import { type Operation, operation } from '#src/control/operation.ts'
import type { Backup } from './backup.ts'

/** The operations that write and restore backups. */
export function backupOperations({ backup }: { backup: Backup }) {
  return {
    /** Returns a backup as a stream. */
    'backup/write': operation(
      Type.Object({ sessions: Type.Boolean(), history: Type.Optional(Type.Boolean()) }),
      ({ sessions, history = false }) => backup.write({ sessions, history }),
    ),

    /** Restores the backup in the body of the request. */
    'backup/restore': operation(
      Type.Object({
        dryRun: Type.Boolean(),
        sessions: Type.Boolean(),
        withoutBranding: Type.Boolean(),
        rebindShares: Type.Optional(Type.Boolean()),
      }),
      ({ rebindShares, ...options }, { body, signal }) =>
        backup.restore(body, { ...options, rebindShares, signal }),
    ),
  } satisfies Record<string, Operation<never, unknown>>
}
