import { spawn } from 'node:child_process'
import { once } from 'node:events'
import t from 'tap'
import { killAfter } from '#src/testing/kill-after.ts'
import { systemTool } from '#src/testing/system-tool.ts'
import { until } from '#src/testing/wire.ts'
import { countInNamespace } from './processes.ts'

t.test('counts only the processes in the namespace that a child process created', async (t) => {
  const words = ['--user', '--map-root-user', '--pid', '--fork', '--kill-child']
  const script = 'sleep 100 & sleep 100 & echo on; wait'
  const child = spawn(systemTool('unshare'), [...words, 'sh', '-c', script], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  killAfter(t, child)
  let said = ''
  child.on('error', () => {})
  child.stdout.on('data', (chunk) => {
    said += chunk
  })
  await Promise.race([once(child.stdout, 'data'), once(child, 'close').catch(() => {})])
  if (said === '') {
    t.pass('no namespace can be made here')
    return
  }
  await until(async () => (await countInNamespace(child.pid ?? 0)) === 3)
  t.equal(await countInNamespace(process.pid), 0, 'a process without such a child has none')
  t.equal(await countInNamespace(2 ** 22 + 1), 0, 'a process that has ended has none')
})
