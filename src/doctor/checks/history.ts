import { join } from 'node:path'
import { rejectUnresponsive } from '#src/files/paths/remote-mounts.ts'
import { bytesText, type CheckFinding, finding, fine } from '../findings/finding.ts'
import { ownNames, statOwn } from '../findings/own-files.ts'
import type { Subject } from '../findings/subject.ts'

const damaged = /^history\.db\.(damaged|replaced)-[\w.-]+Z(-\d+)?$/

/** Checks the history: its size, what was set aside, and whether the audit log was verified. */
export async function checkHistory({ folder, server }: Subject): Promise<CheckFinding[]> {
  await rejectUnresponsive(folder, folder)
  const file = join(folder, 'history.db')
  const stats = await statOwn(file)
  if (!stats) return [fine('history.none', 'There is no history yet. Coffer creates it at its next start.')]
  const log = await statOwn(`${file}-wal`)
  const size = bytesText(stats.size + (log?.size ?? 0))
  const found = [
    fine('history.size', `The history of changes, with the audit log, has ${size}.`),
    ...(await checkAside(folder)),
  ]
  const verified = await server?.lastVerification()
  return verified ? [...found, verification(verified)] : found
}

async function checkAside(folder: string): Promise<CheckFinding[]> {
  const names = (await ownNames(folder)).filter((name) => damaged.test(name))
  return names.map((name) => {
    const path = join(folder, name)
    const text = name.includes('.damaged-')
      ? `A damaged history was set aside as ${path}, and a new one has begun: changes before cannot be undone, and their records are only there. Move the file away when you do not need it.`
      : `A restore of a backup has replaced the history, which is now ${path}. Move the file away when you do not need it.`
    return finding('history.aside', name.includes('.damaged-') ? 'warning' : 'advice', text, {
      names: [path],
      lines: { shell: `ls -l ${path}` },
    })
  })
}

function verification({ time, isFine }: { time: number; isFine: boolean }): CheckFinding {
  const at = new Date(time).toISOString()
  if (isFine)
    return fine('history.verified', `The audit log was verified on ${at}: no record was changed or removed.`)
  const text = `The verification of the audit log on ${at} has failed: records were changed or removed, or the given head is not in it.`
  return finding('history.tampered', 'error', text, { lines: { shell: 'coffer audit verify' } })
}
