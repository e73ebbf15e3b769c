import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import type { FolderMetadata } from '#contract/metadata.ts'
import { threads } from '#src/core/threads/thread-counts.ts'
import { createWorkerPool } from '#src/core/threads/worker-pool.ts'
import { createOwnerNames } from '#src/files/metadata/owner-names.ts'
import type { FoundMetadata } from '#src/files/metadata/read-batch.ts'
import type { MetadataResult, MetadataTask } from '#src/files/metadata/tasks.ts'
import { normalizePath } from '#src/files/paths/user-path.ts'
import { asGif } from '#src/testing/pictures.ts'
import { start } from '#src/testing/start.ts'
import { readerLimits } from './batches.ts'
import { createMetadata } from './metadata.ts'
import { createMetadataCache } from './metadata-cache.ts'

t.test('a request about a large folder ends after its time, and the next one continues', async (t) => {
  const { app, root } = await start(t)
  const { database, limits, auth } = app.services
  const picture = asGif(30, 20, [[1, 2, 3]])
  for (let n = 0; n < 200; n++) writeFileSync(join(root, `${n}.gif`), picture)
  const readers = createWorkerPool<MetadataTask, MetadataResult, FoundMetadata>('metadata', {
    threads: threads.metadata,
    ...readerLimits,
  })
  t.teardown(() => readers.close())
  // Three seconds pass at each look at the clock, so that each request has time for two batches only.
  let now = 0
  const elapsed = () => (now += 3000)
  const cache = createMetadataCache(database, Date.now)
  const metadata = createMetadata({
    readers,
    cache,
    owners: createOwnerNames({ elapsed }),
    files: limits.files,
    elapsed,
  })
  const person = auth.personOf(1)
  if (!person) throw new Error('there is no administrator')
  const ask = async (): Promise<[known: number, complete: boolean]> => {
    const { signal } = new AbortController()
    const found = await metadata.view(person, normalizePath('/'), {
      fields: ['dimensions'],
      room: { text: async () => {}, listing: () => {} },
      signal: () => signal,
    })
    const { items, complete } = JSON.parse(String(found)) as FolderMetadata
    return [Object.keys(items).length, complete]
  }
  t.strictSame(
    [await ask(), await ask(), await ask(), await ask(), await ask()],
    [
      [64, false],
      [128, false],
      [192, false],
      [200, true],
      [200, true],
    ],
  )
})
