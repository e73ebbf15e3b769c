import t from 'tap'
import { createSpeedCheck } from './fast-connection.ts'

const mebibyte = 1024 * 1024

/** Counts bytes without a pause. Returns after how many the rest is for a thread; undefined if it never is. */
function check(expected: number): number | undefined {
  const isForThread = createSpeedCheck(expected)
  for (let done = 0; done <= expected; done += mebibyte) if (isForThread(done)) return done
  return undefined
}

t.test('a thread takes the rest of a large transfer when the connection is fast', async (t) => {
  // On a busy machine, the first mebibytes may take longer.
  t.ok((check(1024 * mebibyte) ?? 0) >= mebibyte)
})

t.test('a transfer of which less than 32 MiB are left stays on the main thread', async (t) => {
  t.equal(check(32 * mebibyte), undefined)
})

t.test('a slow connection gets no thread', async (t) => {
  const isForThread = createSpeedCheck(1024 * mebibyte)
  for (let done = 0; done < 8 * mebibyte; done += mebibyte) {
    const begin = performance.now()
    while (performance.now() - begin < 11); // 90 MB/s
    t.notOk(isForThread(done))
  }
})
