import t from 'tap'
import { maxProcessorMs } from './budget.ts'

t.test(
  'the processor time limit is 1.5 s for a small file and grows with the file size up to 8 s',
  async (t) => {
    const mebibyte = 1024 ** 2
    const times = [0, 35, mebibyte - 1, mebibyte, 4 * mebibyte, 26 * mebibyte, 128 * mebibyte].map(
      maxProcessorMs,
    )
    t.strictSame(times, [1500, 1500, 1500, 1750, 2500, 8000, 8000])
  },
)
