import t from 'tap'
import { freeName } from './free-name.ts'
import { createSpeedMeter } from './speed.ts'

t.test('puts the number of a copy before the file extension', async (t) => {
  t.equal(freeName('/docs/a.txt', 1), '/docs/a(1).txt')
  t.equal(freeName('/a.b/c', 2), '/a.b/c(2)')
  t.equal(freeName('/.hidden', 1), '/.hidden(1)')
  t.equal(freeName('/x.tar.gz', 3), '/x.tar(3).gz')
})

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
