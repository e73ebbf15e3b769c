import t from 'tap'
import { createSpeedMeter } from './speed.ts'

t.test('the rate is that of the last seconds only', async (t) => {
  const meter = createSpeedMeter()
  t.equal(meter.rate(), undefined)
  meter.record(0, 0)
  t.equal(meter.rate(), undefined)
  meter.record(2_000_000, 1000)
  t.equal(meter.rate(), 2_000_000)
  meter.record(2_000_000, 5500)
  t.equal(meter.rate(), undefined, 'old samples do not count')
  meter.record(3_000_000, 6500)
  t.equal(meter.rate(), 1_000_000)
})
