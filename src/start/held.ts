import type { Config } from '#src/config/config.ts'
import { createClamd } from '#src/core/clamd/clamd.ts'
import { createHeldFiles, type HeldSources } from '#src/held/held.ts'

/** Creates the service of received files that are held back, with the scanner of the configuration. */
export function createHeldOf(
  { clamd, clamdAll, root }: Config,
  sources: Omit<HeldSources, 'clamd' | 'coversUsers' | 'root'>,
) {
  return createHeldFiles({
    ...sources,
    root,
    clamd: clamd && createClamd(clamd),
    coversUsers: clamdAll,
  })
}
