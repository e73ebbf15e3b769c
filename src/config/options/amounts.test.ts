import t from 'tap'
import { count, positiveCount, size, sizeBetween, timeout } from './amounts.ts'

const infinity = Number.POSITIVE_INFINITY

t.test('a count is a whole number, and 0 means no limit where that is allowed', async (t) => {
  const texts = ['1', '8', '999999', '0', '1000000', '-1', '1.5', '', '1e3', ' 1']
  const some = [1, 8, 999999]
  const none = Array(6).fill(undefined)
  t.strictSame(texts.map(count.parse), [...some, infinity, ...none])
  t.strictSame(texts.map(positiveCount.parse), [...some, undefined, ...none])
})

t.test('a size has the usual units', async (t) => {
  const cases: [string, number | undefined][] = [
    ['0', infinity],
    ['1', 1],
    ['16384', 16_384],
    ['16K', 16_384],
    ['16k', 16_384],
    ['16KiB', 16_384],
    ['1MB', 1_048_576],
    ['1.5G', 1_610_612_736],
    ['2T', 2_199_023_255_552],
    ['0.0001K', undefined],
    ['1P', undefined],
    ['-1M', undefined],
    ['M', undefined],
    ['', undefined],
    ['1 M', undefined],
  ]
  for (const [text, bytes] of cases) t.equal(size.parse(text), bytes, text)
  const small = sizeBetween(1024, 4096, '1K to 4K')
  t.strictSame(['1023', '1K', '4K', '4097', '0', 'x'].map(small.parse), [
    undefined,
    1024,
    4096,
    undefined,
    undefined,
    undefined,
  ])
})

t.test('a timeout is at most one day', async (t) => {
  t.strictSame(['1s', '90s', '24h', '24h1s', '999ms', 'x'].map(timeout.parse), [
    1000,
    90_000,
    86_400_000,
    undefined,
    undefined,
    undefined,
  ])
})
