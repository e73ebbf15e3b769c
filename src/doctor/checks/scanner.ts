import { createClamd } from '#src/core/clamd/clamd.ts'
import { type CheckFinding, finding, fine } from '../findings/finding.ts'
import type { Subject } from '../findings/subject.ts'

const dayMs = 24 * 60 * 60_000
const oldDays = 7
// The limit is in no answer of clamd, so every finding about a working scanner says what happens beyond it.
const beyond =
  'A file beyond its StreamMaxLength is held until an administrator releases it; beyond MaxFileSize and MaxScanSize it is held only with AlertExceedsMax.'

/** Checks that the virus scanner of `--clamd` answers, and the age of its signatures. */
export async function checkScanner(
  { config: { clamd: address }, wall }: Subject,
  signal: AbortSignal,
): Promise<CheckFinding[]> {
  if (!address) return [fine('scanner', 'Received files are not examined for viruses.')]
  const clamd = createClamd(address, { connectMs: 5000, silenceMs: 5000 })
  const fault = await clamd.fault(signal)
  if (fault !== undefined) {
    const text = `The virus scanner of --clamd does not answer (${fault}): received files are held and are not visible.`
    return [finding('scanner.away', 'error', text, { lines: { shell: 'systemctl restart clamav-daemon' } })]
  }
  const version = (await clamd.version(signal)) ?? ''
  const time = timeOfSignatures(version)
  if (time === undefined) {
    const text = `The virus scanner does not tell the date of its signatures (${version || 'no version'}).`
    return [finding('scanner.undated', 'warning', text, { lines: { shell: 'freshclam' } })]
  }
  const date = new Date(time).toISOString().slice(0, 10)
  const days = Math.floor((wall() - time) / dayMs)
  if (days > oldDays) {
    const text = `The signatures of the virus scanner are ${days} days old, of ${date}: it does not know newer viruses.`
    const lines = { shell: 'systemctl enable --now clamav-freshclam' }
    return [finding('scanner.old', 'warning', text, { lines })]
  }
  return [fine('scanner', `The virus scanner answers. Its signatures are of ${date}. ${beyond}`)]
}

/** The time in an answer such as `ClamAV 1.4.6/27000/Fri Nov 27 09:24:53 2026`, which is in the time zone of the scanner. */
function timeOfSignatures(version: string): number | undefined {
  const [, , date = ''] = version.split('/')
  const time = Date.parse(date)
  return Number.isNaN(time) ? undefined : time
}
