import Type from 'typebox'
import { type ControlCall, controlCall } from '#src/control/control-call.ts'
import type { Backup } from './backup.ts'

/** The control calls that write and restore backups. */
export function backupCalls({ backup }: { backup: Backup }) {
  return {
    /** Returns a backup as a stream. */
    'backup/write': controlCall(
      Type.Object({ sessions: Type.Boolean(), history: Type.Optional(Type.Boolean()) }),
      ({ sessions, history = false }) => backup.write({ sessions, history }),
    ),

    /** Restores the backup in the body of the request. */
    'backup/restore': controlCall(
      Type.Object({
        dryRun: Type.Boolean(),
        sessions: Type.Boolean(),
        withoutBranding: Type.Boolean(),
        rebindShares: Type.Optional(Type.Boolean()),
      }),
      ({ rebindShares, ...options }, { body, signal }) =>
        backup.restore(body, { ...options, rebindShares, signal }),
    ),
  } satisfies Record<string, ControlCall<never, unknown>>
}
