import { join } from 'node:path'
import { readRecord } from '#src/core/storage/records.ts'
import { rejectUnresponsive } from '#src/files/paths/remote-mounts.ts'
import { descriptorLimit, planDescriptors } from '#src/files/space/descriptors.ts'
import { earliestMs, isTimeRecord } from '#src/state/timekeeper.ts'
import { type CheckFinding, finding, fine } from '../findings/finding.ts'
import { statOwn, writeProbe } from '../findings/own-files.ts'
import type { Subject } from '../findings/subject.ts'

const minuteMs = 60_000
const setClock = { shell: 'timedatectl set-ntp true' }

/** Checks the clock: against the latest time that the server saved, and against the clock of the disk. */
export async function checkClock({ folder, wall }: Subject): Promise<CheckFinding[]> {
  await rejectUnresponsive(folder, folder)
  const now = wall()
  const text = (ms: number) => new Date(ms).toISOString()
  if (now < earliestMs) {
    const advice = `The clock of this machine is not set: it shows ${text(now)}.`
    return [finding('clock.unset', 'error', advice, { lines: setClock })]
  }
  const found: CheckFinding[] = []
  const latest = (await readRecord(join(folder, 'clock', 'latest.json'), isTimeRecord))?.latest ?? 0
  if (latest - now > minuteMs) {
    const advice = `The clock shows ${text(now)}, but the server has already seen ${text(latest)}: one of them is wrong, and sessions may end.`
    const level = latest - now > 24 * 60 * minuteMs ? 'error' : 'warning'
    found.push(finding('clock.behind', level, advice, { lines: setClock }))
  }
  const written = (await statOwn(folder)) ? await writeProbe(folder).catch(() => now) : now
  if (Math.abs(written - now) > minuteMs) {
    const seconds = Math.round(Math.abs(written - now) / 1000)
    const advice = `The clock of the disk differs from the clock of this machine by ${seconds} s: times of files are wrong.`
    found.push(finding('clock.disk', 'warning', advice, { lines: setClock }))
  }
  return found.length > 0 ? found : [fine('clock', `The clock is plausible: ${text(now)}.`)]
}

/** Checks the limit of open files of this process. */
export async function checkDescriptors({ config, server }: Subject): Promise<CheckFinding[]> {
  const limit = descriptorLimit()
  const { needed } = planDescriptors(limit, config.connections)
  if (needed === undefined) return [fine('descriptors', `The limit of ${limit} open files is enough.`)]
  const whose = server ? '' : ' for this command; a service may have another limit'
  const text = `The limit of ${limit} open files is low${whose}.`
  const lines = { systemd: `LimitNOFILE=${needed}`, shell: `ulimit -n ${needed}` }
  return [finding('descriptors', server ? 'warning' : 'advice', text, { lines })]
}
