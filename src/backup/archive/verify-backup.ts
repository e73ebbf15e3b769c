import type { Readable } from 'node:stream'
import type { Manifest } from './manifest.ts'
import { ignore, readBackup } from './read-backup.ts'

/** What a verified backup contains. */
export interface BackupSummary extends Pick<Manifest, 'created' | 'coffer' | 'left'> {
  /** The number of files by part. */
  parts: Record<string, number>
  /** All files together, in bytes. */
  bytes: number
}

/** Reads a whole backup and verifies its checksums. @throws CommandProblem when it is damaged. */
export async function verifyBackup(input: Readable): Promise<BackupSummary> {
  const { created, coffer, left, files } = await readBackup(input, { receive: ignore })
  const parts = Map.groupBy(files, ({ part }) => part)
  return {
    created,
    coffer,
    left,
    parts: Object.fromEntries([...parts].map(([part, all]) => [part, all.length])),
    bytes: files.reduce((sum, { size }) => sum + size, 0),
  }
}
