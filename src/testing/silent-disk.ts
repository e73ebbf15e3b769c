import { spawnSync } from 'node:child_process'
import { closeSync } from 'node:fs'
import type { Test } from 'tap'
import { mountFuse } from './fuse-mount.ts'
import { systemTool } from './system-tool.ts'

/**
 * Mounts a disk at `folder` that takes every question and never answers, as a network disk whose server is gone. Undefined
 * where the system does not let us: it takes Linux, FUSE and the rights of the superuser.
 */
export function mountSilent(
  t: Test,
  folder: string,
): { /** From now on every question fails at once. */ end(): void } | undefined {
  const device = mountFuse(folder, 'silent')
  if (device === undefined) return undefined
  let isOpen = true
  const end = () => {
    if (isOpen) closeSync(device)
    isOpen = false
  }
  t.teardown(() => {
    end()
    spawnSync(systemTool('umount'), ['--lazy', folder])
  })
  return { end }
}
