import type { Config } from '#src/config/config.ts'
import { newSettings } from '#src/core/state/state.ts'
import type { Store } from '#src/core/state/store.ts'

/** Permission bits of what is made for people. */
export interface Modes {
  fileMode: number
  dirMode: number
}

const usual = newSettings()

/**
 * The permission bits of new files and folders: those that Coffer was started with, else those of the settings. What
 * somebody chose is meant as it is; the usual bits are less the umask, so that a stricter one closes files to the group
 * as it always has.
 */
export function createModes(
  store: Store,
  config: Pick<Config, 'fileMode' | 'dirMode'>,
  // Asked once, before there are threads: Node asks by setting it to 0 for a moment, for all of them.
  umask = process.umask(),
): () => Modes {
  const bits = (key: keyof Modes) => {
    const given = config[key]
    const chosen = store.data.settings[key]
    return given ?? (chosen === usual[key] ? chosen & ~umask : chosen)
  }
  return () => ({ fileMode: bits('fileMode'), dirMode: bits('dirMode') })
}
