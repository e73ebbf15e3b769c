import { forgetOtherUsers } from '#src/bookmarks/bookmarks.ts'
import type { Config } from '#src/config/config.ts'
import { type Clock, systemClocks } from '#src/core/clock.ts'
import type { Database } from '#src/core/database/database.ts'
import type { Logger } from '#src/core/log/log.ts'
import { unconditional } from '#src/core/problem.ts'
import type { createWorkerPool } from '#src/core/threads/worker-pool.ts'
import { createKeptStores } from '#src/files/kept/kept-stores.ts'
import type { TreeResult, TreeTask } from '#src/files/tree-walk/tree-tasks.ts'
import { createKeeper } from '#src/kept/retention/keeper.ts'
import type { Announcer } from '#src/operations/followers.ts'
import { createOperations } from '#src/operations/operations.ts'
import { recoverOperations } from '#src/operations/recovery.ts'
import type { Store } from '#src/state/store.ts'

/** What the services for operations and kept items need. */
export interface HistorySources {
  store: Store
  database: Database
  clock: Clock
  /** How long no server ran before the start, in milliseconds; undefined: unknown. */
  offMs?: number | undefined
  log: Logger
  /** Real path of the folder with Coffer's own data. */
  stateFolder: string
  announcer: Announcer
  workers: Pick<ReturnType<typeof createWorkerPool<TreeTask, TreeResult>>, 'run'>
}

/** Creates the operations, and the stores where they keep deleted entries and old contents. */
export function createHistory({ root }: Config, { stateFolder, workers, offMs, ...sources }: HistorySources) {
  const { store, log, announcer } = sources
  const runTask = (task: TreeTask) => workers.run(task, { recheck: unconditional })
  const removeTree = async (address: string) => {
    const { gone = [] } = await runTask({ kind: 'remove', address, isForced: true })
    await announcer.after('content', gone)
  }
  const stores = createKeptStores({ root, stateFolder, removeTree, log })
  const { keeping } = store.current
  const keeper = createKeeper({
    ...sources,
    stores,
    root,
    settings: keeping,
    offMs,
    elapsed: systemClocks.elapsed,
    announceKept: announcer.kept,
    measure: async (address) => (await runTask({ kind: 'measure', address })).bytes ?? 0,
  })
  const nameOf = (user: number | null) =>
    (user === null ? undefined : store.current.user(user))?.username ?? ''
  const tools = { ...sources, root, stores, keeping, nameOf }
  return {
    stores,
    keeper,
    keeping,
    nameOf,
    operations: createOperations(tools),
    /** Finishes what a killed server has left. Called once, before the first request. */
    async recover(): Promise<void> {
      await recoverOperations(tools)
      await forgetOtherUsers(sources)
      keeper.start()
    },
  }
}
