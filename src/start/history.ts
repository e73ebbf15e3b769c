import { defaultKeeping } from '#contract/history/kept.ts'
import type { Audit } from '#src/audit/audit.ts'
import { entryOfDeleted, entryOfInterrupted, entryOfOperation } from '#src/audit/operation-entry.ts'
import type { Config } from '#src/config/config.ts'
import { type Clock, systemClocks } from '#src/core/clock.ts'
import type { Database } from '#src/core/database/database.ts'
import type { Logger } from '#src/core/log/log.ts'
import { entryOf } from '#src/core/lookup.ts'
import { unconditional } from '#src/core/problem.ts'
import type { Store } from '#src/core/state/store.ts'
import type { createWorkerPool } from '#src/core/threads/worker-pool.ts'
import { createPlaces } from '#src/files/kept/places.ts'
import type { FileState, TreeResult, TreeTask } from '#src/files/tree-walk/tree-tasks.ts'
import { createFollower } from '#src/kept/follow-steps.ts'
import { type KeptItem, statementsFor } from '#src/kept/records/kept-rows.ts'
import type { DeletedItems } from '#src/kept/retention/deletion.ts'
import { createKeeper } from '#src/kept/retention/keeper.ts'
import type { StepListener } from '#src/operations/operation-records.ts'
import { createOperations } from '#src/operations/operations.ts'
import type { EndedOperation } from '#src/operations/record-operation.ts'
import { recoverOperations } from '#src/operations/recovery.ts'
import { changedStatements, followStatements } from '#src/places/follow-places.ts'
import { forgetOtherUsers } from '#src/places/places.ts'

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
  audit: Pick<Audit, 'statementsFor'>
  /** Drops cached data of files that no longer exist. */
  forget(states: readonly FileState[]): void
  workers: Pick<ReturnType<typeof createWorkerPool<TreeTask, TreeResult>>, 'run'>
}

/** Creates the operations, and the places where they keep deleted entries and old contents. */
export function createHistory(
  { root }: Config,
  { stateFolder, workers, offMs, audit, forget, ...sources }: HistorySources,
) {
  const { store, log } = sources
  const runTask = (task: TreeTask) => workers.run(task, { recheck: unconditional })
  const removeTree = async (address: string) => {
    const { gone = [] } = await runTask({ kind: 'remove', address, isForced: true })
    forget(gone)
  }
  const places = createPlaces({ root, stateFolder, removeTree, log })
  const keeping = () => store.data.settings.keeping ?? defaultKeeping
  const keeper = createKeeper({
    ...sources,
    places,
    root,
    settings: keeping,
    offMs,
    elapsed: systemClocks.elapsed,
    auditStatements: (deleted: DeletedItems) => audit.statementsFor(entryOfDeleted(deleted)),
    measure: async (address) => (await runTask({ kind: 'measure', address })).bytes ?? 0,
  })
  const { usedPlaces, runSoon: onGone } = keeper
  const listeners: StepListener[] = [
    createFollower({ ...sources, root, usedPlaces, onGone, furtherStatements: followStatements }),
  ]
  const tools = {
    ...sources,
    root,
    places,
    keeping,
    async notify(steps: Parameters<StepListener>[0]) {
      for (const listen of listeners) {
        try {
          await listen(steps)
        } catch (err) {
          // The files are changed: the request has succeeded.
          log.error({ err }, 'something could not follow a change of files')
        }
      }
    },
    keepStatements(item: KeptItem) {
      keeper.added(item)
      return statementsFor(item)
    },
    statementsAtEnd: (ended: EndedOperation) => [
      ...audit.statementsFor(entryOfOperation(ended)),
      ...changedStatements(ended),
    ],
  }
  const nameOf = (user: number | null) => entryOf(store.data.users, String(user))?.username ?? ''
  return {
    places,
    keeper,
    keeping,
    nameOf,
    operations: createOperations(tools),
    /** Adds a listener of all steps. */
    follow: (listener: StepListener) => void listeners.push(listener),
    /** Finishes what a killed server has left. Called once, before the first request. */
    async recover(): Promise<void> {
      await recoverOperations(tools, {
        audit: (recovered) =>
          audit.statementsFor(entryOfInterrupted(recovered, nameOf(recovered.record.user))),
      })
      await forgetOtherUsers(sources)
      keeper.start()
    },
  }
}
