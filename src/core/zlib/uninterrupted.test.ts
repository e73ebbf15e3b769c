import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { inflateRawSync } from 'node:zlib'
import t from 'tap'
import { unconditional } from '#src/core/problem.ts'
import { createWorkerPool } from '#src/core/threads/worker-pool.ts'
import type { ArchiveResult, ArchiveTask } from '#src/files/archive/tasks.ts'
import { rounds } from '#src/testing/long.ts'
import { deflateRawSync } from './compress.ts'

t.test('a thread that compresses can be ended at any moment', async (t) => {
  const script = fileURLToPath(new URL('../../testing/end-threads.ts', import.meta.url))
  await t.resolves(promisify(execFile)(process.execPath, [script, String(rounds(150))]))
})

t.test('on the main thread, such a call is made at once', async (t) => {
  const text = Buffer.from('text '.repeat(100))
  t.same(inflateRawSync(deflateRawSync(text)), text)
})

t.test(
  'a thread whose task was aborted takes no further task, even when it completes this one',
  async (t) => {
    const workers = createWorkerPool<ArchiveTask, ArchiveResult>('archive', { threads: 1 })
    t.teardown(() => workers.close())
    const compress = (bytes: number, signal?: AbortSignal) =>
      workers.run(
        { kind: 'compress', codec: 'deflate', bytes: new Uint8Array(bytes), level: 6 },
        { recheck: unconditional, ...(signal && { signal }) },
      )
    for (let round = 0; round < 20; round++) {
      const leaving = new AbortController()
      const aborted = compress(4_000_000, leaving.signal)
      const next = compress(1000)
      setTimeout(() => leaving.abort(new Error('gone')), round)
      await aborted.catch(({ message }) => t.equal(message, 'gone'))
      t.ok(await next)
    }
  },
)
