import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { password, start } from '#src/testing/start.ts'
import { until } from '#src/testing/wire.ts'

t.test(
  'a scheduled publication that the end of the server interrupts runs after the next start',
  async (t) => {
    const config = { staticgen: 'hugo', enableExec: true } as const
    const people = { pat: { perm: { publish: true } } }
    const first = await start(t, { tree: { blog: { content: {} } }, people, config, onDisk: true })
    const [running, ended] = [join(first.base, 'running'), join(first.base, 'ended')]
    const admin = await first.as('admin')
    const settings = { staticGen: { Root: '/blog' }, current_password: password }
    t.equal((await admin('PUT', '/api/settings', { payload: settings })).statusCode, 200)
    await first.document.update((draft) => {
      // The publication waits for this command. It fails after the next start, so that the test needs no Hugo.
      const script = `touch ${running}; until test -e ${ended}; do sleep 0.01; done; exit 1`
      draft.settings.commands.before_publish = [`sh -c '${script}'`]
    })
    const at = new Date(first.clock.now() + 60_000).toISOString()
    const scheduled = await (await first.as('pat'))('POST', `/api/publish/blog/?at=${at}`)
    t.equal(scheduled.statusCode, 200, scheduled.body)
    first.clock.advance({ minutes: 2 })
    const interrupted = first.services.site.runDue()
    await until(() => existsSync(running))
    await first.close()
    await interrupted
    writeFileSync(ended, '')
    const second = await start(t, { base: first.base, people: {}, config, onDisk: true })
    const pat = await second.as('pat')
    t.match((await pat('GET', '/api/publish')).json(), { scheduled: [{ at, username: 'pat' }], runs: [] })
    second.clock.advance({ minutes: 2 })
    await second.services.site.runDue()
    t.match((await pat('GET', '/api/publish')).json(), {
      scheduled: [],
      runs: [{ outcome: 'failed', late: at, username: 'pat' }],
    })
  },
)
