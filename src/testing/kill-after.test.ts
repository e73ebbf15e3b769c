import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import t from 'tap'
import { killAfter } from './kill-after.ts'
import { until } from './wire.ts'

t.test('a process of a test has ended before the folder of the test is removed', async (t) => {
  let folder = ''
  let seen: unknown[] = []
  await t.test('with a process that creates files', async (t) => {
    folder = t.testdir({})
    // Ends by itself, so that it does not stay when this test fails.
    const script = `
      const end = Date.now() + 60_000
      for (let n = 0; Date.now() < end; n++) require('fs').writeFileSync('file' + n % 500, '')`
    const child = spawn(process.execPath, ['-e', script], { cwd: folder, stdio: 'ignore' })
    t.teardown(() => {
      seen = [child.signalCode, existsSync(folder)]
    })
    killAfter(t, child)
    await until(() => existsSync(`${folder}/file0`))
  })
  t.strictSame(seen, ['SIGKILL', true])
  t.notOk(existsSync(folder))
})
