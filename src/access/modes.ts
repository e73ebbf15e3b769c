import type { Config } from '#src/config/config.ts'
import { newSettings } from '#src/state/defaults.ts'
import type { Current } from '#src/state/store.ts'

/** Permission bits of new files and folders. */
export interface FileModes {
  fileMode: number
  dirMode: number
}

const standard = newSettings()

/**
 * The permission bits of new files and folders: from the start options, else from the settings. Chosen bits apply
 * unchanged. The default bits are reduced by the umask, so that a strict umask keeps files closed to the group.
 */
export function createFileModes(
  current: Current,
  config: Pick<Config, 'fileMode' | 'dirMode'>,
  // Read once, before threads exist: to read the umask, Node sets it to 0 for a moment, for all threads.
  umask = process.umask(),
): () => FileModes {
  const bits = (key: keyof FileModes) => {
    const given = config[key]
    const chosen = current.settings()[key]
    return given ?? (chosen === standard[key] ? chosen & ~umask : chosen)
  }
  return () => ({ fileMode: bits('fileMode'), dirMode: bits('dirMode') })
}
