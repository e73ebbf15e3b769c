import t from 'tap'
import { newLink, reserveDownload } from './admission.ts'

const size = 1000
const broken = (sent: number) => ({ isWhole: false, sent })
const whole = { isWhole: true, sent: size }

t.test(
  'a download that is broken off does not count, unless all of them give away as much as one',
  async (t) => {
    const link = newLink()
    const begin = (network: string, what = 'file') =>
      reserveDownload(link, { maxDownloads: 2 }, { network, what, size, now: 0 })
    t.equal(begin('a')(broken(400)), false)
    t.equal(begin('b')(broken(900)), true, 'the rest of it stays')
    link.row.downloads++
    t.equal(begin('c', 'other file')(broken(750)), true)
    link.row.downloads++
    t.throws(() => begin('d'), { code: 'share.limit' })
    t.equal(link.pending.downloads, 0)
  },
)

t.test('a download that is broken off and goes on counts once', async (t) => {
  const link = newLink()
  for (let n = 0; n < 5; n++) {
    const begin = () => reserveDownload(link, {}, { network: `${n}`, what: 'file', size, now: 0 })
    t.equal(begin()(broken(600)), false)
    t.equal(begin()(whole), true)
  }
  t.equal(link.broken, 0)
})

t.test('an interrupted archive counts as a download after 64 KiB', async (t) => {
  const link = newLink()
  const begin = () => reserveDownload(link, {}, { network: 'a', what: 'archive', now: 0 })
  t.equal(begin()(broken(1000)), false)
  t.equal(begin()(broken(100_000)), true)
})

t.test('ranges that run at once are one download, and so are those of the next hour', async (t) => {
  const link = newLink()
  const begin = (now: number, network = 'a') =>
    reserveDownload(link, { maxDownloads: 1 }, { network, what: 'file', size, now })
  const [first, second] = [begin(0), begin(0)]
  t.throws(() => begin(0, 'b'), { code: 'server.busy' }, 'others wait while it runs')
  t.equal(first(broken(0)), false)
  t.equal(second(whole), true)
  link.row.downloads = 1
  t.equal(begin(3_599_000)(whole), false)
  t.throws(() => begin(3_600_001), { code: 'share.limit' })
})

t.test('what is remembered of a link does not grow with the time or the length of names', async (t) => {
  const link = newLink()
  for (let n = 0; n < 20_000; n++)
    reserveDownload(link, {}, { network: 'a', what: `${n}${'x'.repeat(1000)}`, size, now: n })(whole)
  t.equal(link.recent.size, 10_000)
  t.ok([...link.recent.keys()].every((name) => name.length < 60))
  reserveDownload(link, {}, { network: 'b', what: 'later', size, now: 9_000_000 })(whole)
  t.equal(link.recent.size, 1)
})
