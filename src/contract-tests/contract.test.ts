import { join } from 'node:path'
import t from 'tap'
import { errorLines } from '#src/testing/error-lines.ts'
import { password, start } from '#src/testing/start.ts'
import { listen } from '#src/testing/wire.ts'
import { openPlace } from './place.ts'
import { rules } from './rules.ts'
import { nameOf } from './run.ts'

t.test('the running server keeps every rule of the contract', async (t) => {
  const log = join(t.testdirName, 'coffer.log')
  const { app } = await start(t, { config: { baseUrl: '/sub/path', log } })
  const port = await listen(app)
  const where = { base: `http://127.0.0.1:${port}/sub/path`, username: 'admin', password }
  const place = await openPlace(where)
  try {
    for (const rule of rules) {
      await t.test(nameOf(rule), async () => rule.holds(place))
    }
  } finally {
    await place.close()
  }
  t.strictSame(errorLines(log), [], 'no request makes the server log an error')
})
