import t from 'tap'
import { nextDelay, retryAfterMs, retryDelays } from './retries.ts'

const second = 1000
const hour = 3_600_000

t.test('a webhook is tried ten times within about three days, with longer and longer pauses', async (t) => {
  const waits = retryDelays.webhook.map((_, at) => nextDelay(retryDelays.webhook, at + 1, undefined) ?? 0)
  t.equal(waits.length, 9)
  for (const [at, wait] of waits.entries()) {
    const delay = retryDelays.webhook[at] ?? 0
    t.ok(wait >= delay && wait <= delay * 1.1 + 1, `${delay}: ${wait}`)
  }
  t.equal(nextDelay(retryDelays.webhook, 10, undefined), undefined)
  t.equal(nextDelay(retryDelays.webhook, 10, 5000), undefined, 'also when the receiver asks for another one')
})

t.test('a receiver may ask for a longer pause, of at most a day', async (t) => {
  const wait = (wished: number) => nextDelay(retryDelays.webhook, 1, wished) ?? 0
  t.ok(wait(60 * second) >= 60 * second)
  t.ok(wait(second) >= 5 * second, 'not for a shorter one')
  t.ok(wait(1000 * hour) <= 24 * hour * 1.1 + 1)
})

t.test('Retry-After is a number of seconds or a date', async (t) => {
  const now = Date.parse('2033-05-18T03:33:20Z')
  t.equal(retryAfterMs('120', now), 120 * second)
  t.equal(retryAfterMs('Wed, 18 May 2033 03:34:20 GMT', now), 60 * second)
  t.equal(retryAfterMs('Wed, 18 May 2033 03:00:00 GMT', now), 0)
  for (const bad of [undefined, '', 'soon', '-5', '1e9', '99999999999999'])
    t.equal(retryAfterMs(bad, now), undefined, String(bad))
})
