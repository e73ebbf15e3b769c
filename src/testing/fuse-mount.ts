import { spawnSync } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { refreshMounts } from '#src/files/paths/remote-mounts.ts'
import { systemTool } from './system-tool.ts'

/**
 * Mounts a FUSE file system at `folder`. Needs Linux, FUSE and superuser rights.
 *
 * @returns the descriptor from which the kernel's requests are read. The caller responds to them, closes the
 *   descriptor and unmounts the folder. Undefined if the system does not allow the mount.
 */
export function mountFuse(folder: string, name: string): number | undefined {
  let device: number
  try {
    device = openSync('/dev/fuse', 'r+')
  } catch {
    return undefined
  }
  const choices = 'fd=3,rootmode=40000,user_id=0,group_id=0,allow_other'
  const words = ['-i', '-t', 'fuse', '-o', choices, name, folder]
  const { status } = spawnSync(systemTool('mount'), words, { stdio: ['ignore', 'ignore', 'ignore', device] })
  // The table of mounts of this process may have been read just before.
  refreshMounts()
  if (status === 0) return device
  closeSync(device)
  return undefined
}
