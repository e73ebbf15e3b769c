import type { MetadataField } from '#contract/metadata.ts'
import type { Recheck } from '#src/core/problem.ts'
import type { createOwnerNames } from '#src/files/metadata/owner-names.ts'
import type { NormalizedPath } from '#src/files/paths/user-path.ts'
import type { MetadataReaders } from './batches.ts'
import type { MetadataCache } from './metadata-cache.ts'

/** What reading metadata needs. */
export interface MetadataTools {
  readers: MetadataReaders
  cache: MetadataCache
  owners: ReturnType<typeof createOwnerNames>
  /** Milliseconds since any moment. */
  elapsed(): number
}

/** One request, whose user may read the file or folder. */
export interface MetadataRequest {
  typed: NormalizedPath
  fields: readonly MetadataField[]
  /** Checks that the user may still read it. */
  recheck: Recheck
  /** Returns a signal that aborts when the client disconnects. */
  signal(): AbortSignal
}
