import { execFileSync } from 'node:child_process'
import {
  closeSync,
  mkdirSync,
  openSync,
  rmSync,
  statfsSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { createOpenFolder } from './other-user.ts'
import { systemTool } from './system-tool.ts'

/** The file systems that a test can mount, and the resource that runs out. */
export const smallDisks = {
  'tmpfs without blocks': { kind: 'tmpfs', runsOut: 'blocks' },
  'tmpfs without inodes': { kind: 'tmpfs', runsOut: 'inodes' },
  'ext4 without blocks': { kind: 'ext4', runsOut: 'blocks' },
  'ext4 without inodes': { kind: 'ext4', runsOut: 'inodes' },
  'ext4 with only the reserve of root': { kind: 'ext4', runsOut: 'reserve' },
} as const

export type SmallDisk = (typeof smallDisks)[keyof typeof smallDisks]

const sizeBytes = 16 * 1024 * 1024
const inodes = 200

/** Mounts a disk of 16 MiB and 200 inodes until the test ends. Returns undefined if the system does not allow it. */
export function mountSmall(t: Test, kind: SmallDisk['kind'] | 'exfat' | 'vfat'): string | undefined {
  let unmount = () => {}
  const base = createOpenFolder()
  t.teardown(() => {
    unmount()
    rmSync(base, { recursive: true })
  })
  const disk = join(base, 'disk')
  const image = join(base, 'image')
  mkdirSync(disk)
  try {
    if (kind === 'tmpfs') {
      const options = `size=${sizeBytes},nr_inodes=${inodes}`
      execFileSync(systemTool('mount'), ['-t', 'tmpfs', '-o', options, 'tmpfs', disk], { stdio: 'pipe' })
    } else {
      writeFileSync(image, '')
      truncateSync(image, kind === 'ext4' ? sizeBytes : 4 * sizeBytes)
      mountImage(image, disk, kind)
    }
  } catch {
    return undefined
  }
  // Lazy unmount: a server may still have files open.
  unmount = () => void execFileSync(systemTool('umount'), ['-l', disk])
  return disk
}

function mountImage(image: string, disk: string, kind: 'ext4' | 'exfat' | 'vfat'): void {
  const options = kind === 'ext4' ? ['-q', '-F', '-m', '10', '-N', String(inodes)] : []
  execFileSync(`mkfs.${kind}`, [...options, image], { stdio: 'pipe' })
  if (kind !== 'exfat') {
    execFileSync(systemTool('mount'), ['-o', 'loop', '-t', kind, image, disk], { stdio: 'pipe' })
    return
  }
  const device = execFileSync(systemTool('losetup'), ['-f', '--show', image], { stdio: 'pipe' })
    .toString()
    .trim()
  try {
    execFileSync(systemTool('mount.exfat-fuse'), [device, disk], { stdio: 'pipe' })
  } finally {
    // Takes effect after the unmount.
    execFileSync(systemTool('losetup'), ['-d', device], { stdio: 'pipe' })
  }
}

/** Fills the disk that contains `folder` until the given resource runs out. */
export function fillUp(folder: string, runsOut: SmallDisk['runsOut']): void {
  mkdirSync(folder, { recursive: true })
  if (runsOut === 'inodes') fillInodes(folder)
  else fillBlocks(folder, runsOut === 'blocks' ? () => true : () => statfsSync(folder).bavail > 0)
}

function fillBlocks(folder: string, isLeft: () => boolean): void {
  const file = openSync(join(folder, 'filler'), 'a')
  try {
    for (const length of [64 * 1024, 1024]) {
      while (isLeft() && succeeds(() => writeSync(file, Buffer.alloc(length, 'x')))) {}
    }
  } finally {
    closeSync(file)
  }
}

function fillInodes(folder: string): void {
  for (let n = 0; succeeds(() => writeFileSync(join(folder, `empty-${n}`), '')); n++) {}
}

function succeeds(write: () => void): boolean {
  try {
    write()
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOSPC') return false
    throw error
  }
}
