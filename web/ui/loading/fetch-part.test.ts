import { mock } from 'node:test'
import t from 'tap'
import { fetchWithRetry } from './fetch-part.ts'

t.test(
  'a part of the page that does not arrive within two minutes is fetched once more, then fails',
  async (t) => {
    mock.timers.enable({ apis: ['setTimeout'] })
    t.teardown(() => mock.timers.reset())
    let tries = 0
    const never = () => {
      tries++
      return new Promise<string>(() => undefined)
    }
    const lost = t.rejects(fetchWithRetry(never))
    mock.timers.tick(119_999)
    await Promise.resolve()
    t.equal(tries, 1)
    mock.timers.tick(1)
    await new Promise(setImmediate)
    t.equal(tries, 2)
    mock.timers.tick(120_000)
    await lost
    t.equal(
      await fetchWithRetry(() =>
        ++tries === 3 ? Promise.reject(new Error('broken')) : Promise.resolve('part'),
      ),
      'part',
    )
  },
)
