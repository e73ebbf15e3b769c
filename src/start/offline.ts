import { createAudit } from '#src/audit/audit.ts'
import type { Config } from '#src/config/config.ts'
import { createKeyedLock } from '#src/core/concurrency/keyed-lock.ts'
import { createLog } from '#src/core/log/log.ts'
import { StartupProblem } from '#src/core/problem.ts'
import { createKeptStores } from '#src/files/kept/kept-stores.ts'
import { runTreeTask } from '#src/files/tree-walk/tree-tasks.ts'
import { createAnnouncer } from '#src/operations/followers.ts'
import { createShareTracking } from '#src/shares/following/share-tracking.ts'
import { createAccounts } from './accounts.ts'
import { type AllControlCalls, createControlCalls } from './control-calls.ts'
import { createOfflineFollowers } from './followers.ts'
import { lockState, openAccounts, openWork } from './instance.ts'
import { openStateFolder, refuseOtherOwner, type StateFolder } from './state-folder.ts'

/**
 * Opens the state for a command while no server runs. No server can start until it is disposed.
 *
 * @throws StartupProblem when another process holds the lock, when the state is damaged, and when it belongs to another
 *   user: files that this process writes could not be read by the server.
 */
export async function openOffline(
  config: Config,
  { file }: Pick<StateFolder, 'file'>,
): Promise<{ calls: AllControlCalls } & AsyncDisposable> {
  await refuseOtherOwner(file)
  const log = createLog({ target: 'stderr', format: 'text' })
  const opened = new AsyncDisposableStack()
  try {
    const stateFolder = await openStateFolder(config)
    await lockState({ stateFolder, opened })
    const state = await openAccounts({ stateFolder, log, opened }, async () => {
      throw new StartupProblem(`The state file ${file} was removed: start Coffer to create a new one.`)
    })
    const { backup, database } = await openWork(config, { stateFolder, log, opened }, state)
    await database.opened
    const audit = createAudit({ ...state, database, log })
    opened.defer(() => audit.close())
    const stores = createKeptStores({
      root: config.root,
      stateFolder: stateFolder.folder,
      removeTree: async (address) => runTreeTask({ kind: 'remove', address, isForced: true }),
      log,
    })
    const locks = createKeyedLock()
    const accounts = createAccounts(config, {
      ...state,
      locks,
      secret: stateFolder.secret,
      log,
      setupCode: undefined,
    })
    const shares = createShareTracking(state.store, accounts.auth.personOf)
    const announcer = createAnnouncer({ database, log })
    announcer.follow(createOfflineFollowers({ root: config.root, clock: state.clock, shares }))
    return {
      calls: createControlCalls({
        ...state,
        ...accounts,
        backup,
        audit,
        database,
        stores,
        announceKept: announcer.kept,
        root: config.root,
      }),
      [Symbol.asyncDispose]: () => opened.disposeAsync(),
    }
  } catch (error) {
    await opened.disposeAsync()
    throw error
  }
}
