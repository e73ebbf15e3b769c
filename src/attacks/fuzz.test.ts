import t from 'tap'
import { fuzz } from './fuzz/run.ts'

t.test(
  'random requests of everybody to every call break no promise and leave a server that starts again',
  async (t) => {
    const { failures, requests } = await fuzz(1, 30)
    t.strictSame(failures, [])
    t.ok(requests > 400, `${requests} requests`)
  },
)
