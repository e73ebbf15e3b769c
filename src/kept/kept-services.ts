import type { PartitionedSemaphore } from '#src/core/concurrency/semaphore.ts'
import type { Database } from '#src/core/database/database.ts'
import type { Scans } from '#src/core/database/scans.ts'
import type { Transfers } from '#src/entries/transfers.ts'
import type { KeptStores } from '#src/files/kept/kept-stores.ts'
import type { LimitedTreeWorkers } from '#src/files/trees/tree-context.ts'
import type { Announcer } from '#src/operations/followers.ts'

/** What the services for the trash and for versions need. */
export interface KeptServices {
  database: Database
  scans: Scans
  stores: KeptStores
  /** Real path of the served folder. */
  root: string
  entries: Pick<Transfers, 'restore'>
  files: PartitionedSemaphore
  /** The worker threads, for the owner of a quota. */
  workers(owner: string): LimitedTreeWorkers
  /** The name of the user with this id. Empty if that user was removed, or if `user` is null. */
  nameOf(user: number | null): string
  announceKept: Announcer['kept']
}
