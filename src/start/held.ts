import type { Config } from '#src/config/config.ts'
import { createClamd } from '#src/core/clamd/clamd.ts'
import { createReceiving, type ReceivingOptions } from '#src/held/receiving.ts'

/** Creates what examines received files, with the scanner of the configuration. */
export function createReceivingOf(
  { clamd, clamdAll, root }: Config,
  sources: Omit<ReceivingOptions, 'clamd' | 'coversUsers' | 'root'>,
) {
  return createReceiving({ ...sources, root, clamd: clamd && createClamd(clamd), coversUsers: clamdAll })
}
