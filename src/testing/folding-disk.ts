import { spawnSync } from 'node:child_process'
import { closeSync, mkdirSync, mkdtempSync, realpathSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { Test } from 'tap'
import { mountFuse } from './fuse-mount.ts'
import type { FuseTree, Speller } from './fuse-server.ts'

/** Disks on which several spellings open the same name. */
export const foldingDisks = {
  /** Ignores case and preserves it. Its inode numbers differ for each spelling, and it has no links. */
  exfat: {
    size: 32 * 1024 * 1024,
    needsDevice: true,
    make: ['mkfs.exfat'],
    mount: ['mount.exfat-fuse'],
  },
  /** Ignores case and lists every name in lower case. It has links, and stable inode numbers. */
  ntfs: {
    size: 8 * 1024 * 1024,
    needsDevice: false,
    make: ['mkfs.ntfs', '-F', '-Q'],
    mount: ['lowntfs-3g', '-o', 'ignore_case'],
  },
  /** Distinguishes case, but opens `name:` as `name`, and the streams of a file as `name:stream`. */
  streams: {
    size: 8 * 1024 * 1024,
    needsDevice: false,
    make: ['mkfs.ntfs', '-F', '-Q'],
    mount: ['ntfs-3g', '-o', 'streams_interface=windows'],
  },
} as const

export type FoldingDisk = keyof typeof foldingDisks

const noFoldingDisk =
  'no such disk can be mounted here: it takes Linux, the superuser, FUSE, and the packages exfat-fuse, exfatprogs and ntfs-3g'

const run = ([program = '', ...words]: readonly string[], ...more: string[]) =>
  spawnSync(program, [...words, ...more], { encoding: 'utf8' })

/**
 * Mounts an empty disk and returns its folder. The end of the test unmounts it. If this system does not allow it,
 * skips the test and returns undefined.
 */
export function mountFolding(t: Test, kind: FoldingDisk): string | undefined {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'coffer-')))
  const [image, folder] = [join(base, 'image'), join(base, 'disk')]
  const { size, needsDevice, make, mount } = foldingDisks[kind]
  mkdirSync(folder)
  writeFileSync(image, '')
  truncateSync(image, size)
  const isMade = run(make, image).status === 0
  const device = isMade && needsDevice ? run(['losetup', '--find', '--show'], image).stdout?.trim() : image
  const isMounted = isMade && Boolean(device) && run(mount, device ?? '', folder).status === 0
  t.teardown(() => {
    // Lazy unmount: the server may still have files open.
    if (isMounted) run(['umount', '--lazy'], folder)
    if (device !== image) run(['losetup', '--detach'], device ?? '')
    rmSync(base, { recursive: true, force: true })
  })
  if (!isMounted) t.pass('a disk that folds', { skip: noFoldingDisk })
  return isMounted ? folder : undefined
}

/**
 * Mounts a read-only disk that contains `tree` and finds names as `speller` does. Otherwise as `mountFolding`. A
 * thread of this process responds to the kernel.
 */
export function mountSpelling(t: Test, speller: Speller, tree: FuseTree): string | undefined {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'coffer-')))
  const folder = join(base, 'disk')
  mkdirSync(folder)
  const device = mountFuse(folder, 'spelling')
  if (device === undefined) {
    rmSync(base, { recursive: true })
    return void t.pass('a disk that folds', { skip: noFoldingDisk })
  }
  const workerData = { device, tree, speller }
  const server = new Worker(new URL('./fuse-server.ts', import.meta.url), { workerData })
  t.teardown(async () => {
    const ended = new Promise((resolve) => server.once('exit', resolve))
    run(['umount', '--force'], folder)
    await ended
    closeSync(device)
    rmSync(base, { recursive: true, force: true })
  })
  return folder
}
