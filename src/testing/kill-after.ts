import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import type { Test } from 'tap'

/**
 * Kills this process at the end of the test, and waits until it has ended. So it writes nothing any more when the folder
 * of the test is removed.
 */
export function killAfter(t: Test, child: ChildProcess): void {
  t.teardown(async () => {
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
    const exited = once(child, 'exit')
    child.kill('SIGKILL')
    await exited
  })
}
