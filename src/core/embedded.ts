import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import path from 'node:path'
import sea from 'node:sea'
import { StartupProblem } from './problem.ts'

/** Whether this process is the one-file executable, which carries its files inside. */
export const isExecutable = sea.isSea()

/** The names of all files inside the executable; empty when we run from the source tree. */
export const embeddedNames: readonly string[] = isExecutable ? sea.getAssetKeys() : []

/**
 * The bytes of a file that lies inside the executable: `web/…` as in `web/dist`, `workers/<name>.js` for every
 * `<name>-worker.ts`, as a CommonJS script. Undefined when there is none of that name, and always when we run from the
 * source tree. The bytes are the executable's own mapped pages: they cost no memory of ours, and writing to them ends the
 * process.
 */
export function embedded(name: string): Buffer | undefined {
  return embeddedNames.includes(name) ? Buffer.from(sea.getRawAsset(name)) : undefined
}

/**
 * Opens a native add-on that lies inside the executable; its exports are the answer. The system opens add-ons from files
 * only: this one lies in a fresh folder with an unpredictable name and mode 0700, so that nobody can plant or swap it and
 * several starts do not meet, and is gone again once it is open.
 *
 * @public called by the module that build.ts puts in the place of the add-on's own
 * @throws StartupProblem when no folder may be written to and run from.
 */
export function openAddon(name: string): unknown {
  const bytes = sea.getRawAsset(name)
  const places = [tmpdir(), '/dev/shm', homedir(), path.dirname(process.execPath)]
  for (const place of places) {
    const addon = openFrom(place, Buffer.from(bytes))
    if (addon) return addon.exports
  }
  throw new StartupProblem(
    `The native part of Coffer cannot be opened from ${places.join(', ')}: let TMPDIR name a folder that may be written to and run from.`,
  )
}

function openFrom(place: string, bytes: Buffer): { exports: unknown } | undefined {
  let folder: string | undefined
  try {
    folder = mkdtempSync(path.join(place, '.coffer-'))
    const file = path.join(folder, 'add-on.node')
    writeFileSync(file, bytes, { mode: 0o700, flag: 'wx' })
    const addon = { exports: {} }
    process.dlopen(addon, file)
    return addon
  } catch {
    return // Full, read-only, mounted noexec …: the next place may serve.
  } finally {
    remove(folder)
  }
}

function remove(folder: string | undefined): void {
  try {
    if (folder) rmSync(folder, { recursive: true, force: true })
  } catch {
    // Windows keeps an open add-on on the disk: the system's own cleaning of its temporary folder takes it.
  }
}
