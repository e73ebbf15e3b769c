import t from 'tap'
import { createDownloads, type Downloaded } from './downloads.ts'

const minute = 60_000

function open() {
  const time = { now: 0 }
  const reported: (Downloaded & { about: string })[] = []
  const downloads = createDownloads<string>(
    () => time.now,
    (about, how) => reported.push({ about, ...how }),
  )
  t.teardown(downloads.close)
  const begin = (
    client: string,
    { what = 'file', size = 100 }: { what?: string; size?: number | null } = {},
  ) => downloads.begin({ client, what, size: size ?? undefined, about: client })
  return { ...downloads, time, reported, begin }
}

const range = (sent: number) => ({ isWhole: true, sent })
const broken = (sent: number) => ({ isWhole: false, sent })

t.test('ranges of one client are one download, which is over when everything was sent', async (t) => {
  const { reported, begin } = open()
  const ends = [begin('a'), begin('a'), begin('b')]
  for (const end of ends) end(range(40))
  t.strictSame(reported, [])
  begin('a')(range(20))
  t.strictSame(reported, [{ about: 'a', bytes: 100, isWhole: true }])
  begin('a')(range(100))
  t.equal(reported.length, 1, 'a repetition within the hour is the same download')
})

t.test('a download without a request for five minutes was broken off', async (t) => {
  const { reported, begin, settle, time } = open()
  begin('a')(broken(30))
  begin('b')(broken(0))
  const running = begin('c')
  time.now = 4 * minute
  settle()
  t.strictSame(reported, [])
  time.now = 5 * minute
  settle()
  settle()
  t.strictSame(reported, [{ about: 'a', bytes: 30, isWhole: false }], 'one that got nothing is none')
  begin('a')(range(70))
  t.strictSame(reported.at(-1), { about: 'a', bytes: 70, isWhole: true }, 'it went on, and is whole now')
  running(broken(10))
  t.equal(reported.length, 2)
})

t.test('interrupted requests alone are no whole download', async (t) => {
  const { reported, begin, close } = open()
  begin('a')(broken(90))
  begin('a')(broken(90))
  close()
  t.strictSame(reported, [{ about: 'a', bytes: 180, isWhole: false }])
})

t.test('an archive is whole when its answer is, as its size is not known before', async (t) => {
  const { reported, begin } = open()
  begin('a', { what: 'archive', size: null })(broken(5))
  begin('a', { what: 'archive', size: null })(range(50))
  t.strictSame(reported, [{ about: 'a', bytes: 55, isWhole: true }])
})

t.test('the same bytes are a new download after an hour', async (t) => {
  const { reported, begin, time } = open()
  begin('a')(range(100))
  time.now = 60 * minute
  begin('a')(range(100))
  t.equal(reported.length, 2)
})

t.test('the number of remembered downloads has a limit, and none is lost by it', async (t) => {
  const { reported, begin, close } = open()
  const first = begin('a', { what: 'first' })
  for (let n = 0; n < 10_000; n++) begin('a', { what: `${n}` })(broken(1))
  t.strictSame(reported, [], 'the first one is still running')
  begin('a', { what: 'one more' })(broken(1))
  t.equal(reported.length, 1)
  first(broken(7))
  t.equal(reported.at(-1)?.bytes, 7)
  close()
  t.equal(reported.length, 10_002)
})
