import { execFile, execFileSync } from 'node:child_process'
import { promisify } from 'node:util'
import { systemTool } from './system-tool.ts'

/**
 * Runs a program in its own mount namespace, with an empty disk (tmpfs) at `folder`. Both end with the process.
 * Returns the JSON that it prints, or undefined if this system does not allow mounts.
 *
 * @param program the text of a JavaScript module; `words` are in its `process.argv` from index 1 on
 * @param disk.size as in the mount option of tmpfs, such as `128k`
 * @throws if the program fails
 */
export async function runOnOwnDisk(
  program: string,
  { folder, size, words = [] }: { folder: string; size: string; words?: readonly string[] },
): Promise<unknown> {
  if (!canMount()) return undefined
  const shell = `disk=$1; shift; mount -t tmpfs -o size=${size} tmpfs "$disk" && exec "$@"`
  const node = [process.execPath, '--input-type=module', '-e', program, ...words]
  const { stdout } = await promisify(execFile)(systemTool('unshare'), [
    '-rm',
    'sh',
    '-c',
    shell,
    'sh',
    folder,
    ...node,
  ])
  return JSON.parse(stdout)
}

function canMount(): boolean {
  try {
    execFileSync(systemTool('unshare'), ['-rm', 'sh', '-c', 'mount -t tmpfs none /mnt'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
