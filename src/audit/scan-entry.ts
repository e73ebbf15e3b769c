import { type AuditEntry, serverItself } from './entry.ts'

/** What the virus scanner has found in a received file. */
interface ScanFinding {
  signature: string
  /** Relative to the served folder. */
  path: string
  userId: number
  /** Undefined: it did not come through a share. */
  share: string | undefined
  address: string
}

/**
 * The record of a finding. A file of a visitor has no user: the record names the owner of the share.
 *
 * @param userName the present name of the user who has sent the file, or who owns the share
 */
export function scanEntry(
  { signature, path, userId, share, address }: ScanFinding,
  userName: string,
): AuditEntry {
  const about = { kind: 'scan', outcome: 'refused', paths: [{ path }] } as const
  if (share === undefined)
    return { ...about, who: { ...serverItself, userId, userName, address }, detail: signature }
  const detail = `${signature}; by a visitor of a share of ${userName}`
  return { ...about, who: { ...serverItself, address }, detail }
}
