import t from 'tap'
import { rounds } from '#src/testing/long.ts'
import { fuzz } from './fuzz/run.ts'

t.test(
  'random requests of all users to every call break no invariant, and the server can start again',
  async (t) => {
    const { failures, requests } = await fuzz(1, rounds(40))
    t.strictSame(failures, [])
    t.ok(requests > 100, `${requests} requests`)
  },
)
