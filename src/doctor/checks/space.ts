import { dirname } from 'node:path'
import { ignoreMissing } from '#src/core/problem.ts'
import { mountAt, rejectUnresponsive } from '#src/files/paths/remote-mounts.ts'
import { reserveOf } from '#src/files/space/disk-reserve.ts'
import { bytesText, type CheckFinding, finding, fine } from '../findings/finding.ts'
import { diskOf } from '../findings/own-files.ts'
import type { Subject } from '../findings/subject.ts'

// Below this, or below this part of the disk, a large upload may fail soon.
const littleBytes = 1024 ** 3
const littleShare = 0.02
const fewInodes = 1000

/** Checks the free space and the free inodes of the disks of the served folder, the state and the cache. */
export async function checkSpace({ config, file, cacheFolder }: Subject): Promise<CheckFinding[]> {
  const places = [
    ['root', 'the served folder', config.root],
    ['state', 'the state', dirname(file)],
    ['cache', 'the cache', cacheFolder],
  ] as const
  const seen = new Set<string>()
  const found: CheckFinding[] = []
  for (const [id, what, path] of places) {
    // The check of the folder reports a disk that does not respond.
    const isSilent = await rejectUnresponsive(path, path).then(
      () => false,
      () => true,
    )
    const disk = isSilent ? undefined : await diskOf(path).catch(ignoreMissing)
    // Folders on one disk are reported once, and a disk may not know its size.
    const key = mountAt(path)?.place ?? String(disk?.blocks)
    if (!disk || disk.blocks === 0 || seen.has(key)) continue
    seen.add(key)
    found.push(...spaceOf(id, what, disk))
  }
  return found.length > 0 ? found : [fine('space', 'The disks do not report their free space.')]
}

interface Disk {
  blocks: number
  bavail: number
  bsize: number
  files: number
  ffree: number
}

const consequences = {
  root: 'uploads are refused',
  state: 'changes of users and settings may fail',
  cache: 'previews are not stored',
}

function spaceOf(id: keyof typeof consequences, what: string, disk: Disk): CheckFinding[] {
  const free = disk.bavail * disk.bsize
  const size = disk.blocks * disk.bsize
  const room = `${bytesText(free)} of ${bytesText(size)} are free`
  const advice = { lines: { shell: 'df -h' } }
  const inodes = disk.files > 0 && disk.ffree < Math.min(fewInodes, disk.files / 100)
  const noInodes = `The disk of ${what} has only ${disk.ffree} free inodes: no file can be created soon.`
  const few = inodes ? [finding(`space.${id}.inodes`, 'error', noInodes, { lines: { shell: 'df -i' } })] : []
  if (free <= reserveOf(disk)) {
    const text = `The disk of ${what} is full (${room}; Coffer keeps ${bytesText(reserveOf(disk))} free): ${consequences[id]}.`
    return [finding(`space.${id}`, 'error', text, advice), ...few]
  }
  if (free < Math.min(littleBytes, size * littleShare))
    return [finding(`space.${id}`, 'warning', `The disk of ${what} is almost full: ${room}.`, advice), ...few]
  return [fine(`space.${id}`, `The disk of ${what} has enough space: ${room}.`), ...few]
}
