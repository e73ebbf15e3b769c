import t, { type Test } from 'tap'
import { start } from '#src/testing/start.ts'
import { until } from '#src/testing/wire.ts'
import { createDeliveries, type Sender } from './deliveries.ts'
import type { DeliveryRow } from './delivery-rows.ts'

const quiet = { error() {}, warn() {}, info() {} } as unknown as Parameters<typeof createDeliveries>[0]['log']

async function begin(t: Test, sender: Partial<Sender>) {
  const { services, clock } = await start(t)
  clock.stop()
  const { database } = services
  const state = { isFull: false }
  const one: Sender = { accepts: async () => true, send: async () => ({ result: 'done' }), ...sender }
  const deliveries = createDeliveries({
    database: {
      read: database.read,
      write: async (statements) => {
        if (state.isFull) throw new Error('the disk is full')
        return database.write(statements)
      },
    },
    ...{ clock: clock.now, log: quiet, senders: { webhook: one, mail: one } },
  })
  t.teardown(() => deliveries.close())
  const add = async (user: number, id: string) => {
    const payload = { id, type: 'x', time: clock.now(), body: '{}' }
    await database.write(await deliveries.statements(user, ['webhook'], payload))
  }
  const rows = () => database.read<DeliveryRow>('SELECT * FROM deliveries ORDER BY id')
  return { deliveries, state, clock, add, rows }
}

t.test('a result that cannot be stored is not repeated without a pause', async (t) => {
  let sent = 0
  const { deliveries, state, clock, add, rows } = await begin(t, {
    send: async () => {
      sent++
      return { result: 'done' }
    },
  })
  await add(1, 'a')
  state.isFull = true
  for (let n = 0; n < 5; n++) {
    deliveries.wake()
    await deliveries.settled()
  }
  t.equal(sent, 1)
  state.isFull = false
  clock.advance({ seconds: 61 })
  deliveries.wakeIfDue()
  await deliveries.settled()
  t.equal(sent, 2)
  t.match(await rows(), [{ state: 'done', attempts: 1 }])
})

t.test('a fault of a sender delays a delivery by a minute, and the others are delivered', async (t) => {
  const { deliveries, clock, add, rows } = await begin(t, {
    send: async ({ id, attempts }) => {
      if (id === 'a' && attempts === 0) throw new Error('a fault')
      return { result: 'done' }
    },
  })
  for (const id of ['a', 'b']) await add(1, id)
  deliveries.wake()
  await deliveries.settled()
  t.match(await rows(), [{ state: 'waiting', attempts: 1 }, { state: 'done' }])
  clock.advance({ seconds: 61 })
  deliveries.wakeIfDue()
  await deliveries.settled()
  t.match(await rows(), [{ state: 'done', attempts: 2 }, { state: 'done' }])
})

t.test('eight users get deliveries at once, and each of them one at a time', async (t) => {
  const active = new Set<number>()
  const gate = Promise.withResolvers<void>()
  const { deliveries, add, rows } = await begin(t, {
    send: async ({ user }) => {
      t.notOk(active.has(user), 'one at a time')
      t.ok(active.add(user).size <= 8)
      await gate.promise
      active.delete(user)
      return { result: 'done' }
    },
  })
  for (let user = 1; user <= 12; user++) for (const n of [1, 2]) await add(user, `${user}.${n}`)
  deliveries.wake()
  const done = deliveries.settled()
  await until(() => active.size === 8)
  gate.resolve()
  await done
  t.ok((await rows()).every(({ state }) => state === 'done'))
})
