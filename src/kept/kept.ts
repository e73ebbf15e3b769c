import type { KeepingSettings } from '#contract/history/kept.ts'
import { createKeeping } from './keeping.ts'
import type { KeptServices } from './kept-services.ts'
import type { Keeper } from './retention/keeper.ts'
import { createTrash } from './trash.ts'
import { createVersions } from './versions.ts'

/** Creates the services for the trash and for versions. */
export function createKept({
  keeper,
  keeping,
  ...tools
}: Omit<KeptServices, 'onGone'> & { keeper: Pick<Keeper, 'runSoon'>; keeping(): KeepingSettings }) {
  const all = { ...tools, onGone: keeper.runSoon }
  return {
    trash: createTrash(all),
    versions: createVersions(all),
    keepingOf: createKeeping({ ...tools, settings: keeping }),
  }
}
