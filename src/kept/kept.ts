import type { KeepingSettings } from '#contract/history/kept.ts'
import { createKeeping } from './keeping.ts'
import type { KeptServices } from './kept-services.ts'
import { createTrash } from './trash.ts'
import { createVersions } from './versions.ts'

/** Creates the services for the trash and for versions. */
export function createKept({ keeping, ...tools }: KeptServices & { keeping(): KeepingSettings }) {
  return {
    trash: createTrash(tools),
    versions: createVersions(tools),
    keepingOf: createKeeping({ ...tools, settings: keeping }),
  }
}
