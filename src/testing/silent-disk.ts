import { spawnSync } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import type { Test } from 'tap'

/**
 * Mounts a disk at `folder` that takes every question and never answers, as a network disk whose server is gone. Undefined
 * where the system does not let us: it takes Linux, FUSE and the rights of the superuser.
 */
export function mountSilent(
  t: Test,
  folder: string,
): { /** From now on every question fails at once. */ end(): void } | undefined {
  let device: number
  try {
    device = openSync('/dev/fuse', 'r+')
  } catch {
    return undefined
  }
  const choices = 'fd=3,rootmode=40000,user_id=0,group_id=0,allow_other'
  const words = ['-i', '-t', 'fuse', '-o', choices, 'silent', folder]
  const { status } = spawnSync('mount', words, { stdio: ['ignore', 'ignore', 'ignore', device] })
  let isOpen = true
  const end = () => {
    if (isOpen) closeSync(device)
    isOpen = false
  }
  t.teardown(() => {
    end()
    spawnSync('umount', ['--lazy', folder])
  })
  if (status === 0) return { end }
  end()
  return undefined
}
