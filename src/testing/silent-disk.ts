import { spawnSync } from 'node:child_process'
import { closeSync } from 'node:fs'
import type { Test } from 'tap'
import { mountFuse } from './fuse-mount.ts'
import { systemTool } from './system-tool.ts'

/**
 * Mounts a disk at `folder` that accepts every request and never responds, as a network disk whose server is down.
 * Returns undefined if the system does not allow it: it needs Linux, FUSE and superuser rights.
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
