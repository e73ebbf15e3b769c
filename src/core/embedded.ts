import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import path from 'node:path'
import sea from 'node:sea'
import { StartupProblem } from './problem.ts'
import { brotliDecompressSync } from './zlib/compress.ts'

/** Whether this process is the one-file executable, which contains its files. */
export const isExecutable = sea.isSea()

declare global {
  /** Set by the first script of the executable (`cli/start.ts`). */
  var hasCompiledCode: boolean | undefined
}

/** Whether V8 has accepted the code that was compiled when the executable was built. */
export const isPrecompiled = globalThis.hasCompiledCode === true

const names: ReadonlySet<string> = new Set(isExecutable ? sea.getAssetKeys() : [])

/** Whether `embeddedFile` knows a file with this name. */
export function isEmbedded(name: string): boolean {
  return names.has(name) || names.has(`${name}.br`)
}

/**
 * Returns the bytes of a file in the executable: `web/…` as in `web/dist`, or `workers/<name>.js` for every
 * `<name>-worker.ts`, as a CommonJS script. Undefined when there is no file with this name, and always when the process
 * runs from the source tree. The bytes are mapped pages of the executable: they use no memory of the process, and
 * writing to them ends it. Most files are compressed with Brotli (`<name>.br`): each call decompresses them, in 1 to 5 ms.
 */
export function embeddedFile(name: string): Buffer | undefined {
  if (names.has(name)) return Buffer.from(sea.getRawAsset(name))
  const compressed = `${name}.br`
  return names.has(compressed) ? brotliDecompressSync(Buffer.from(sea.getRawAsset(compressed))) : undefined
}

/**
 * Opens a native add-on from the executable and returns its exports. The system opens add-ons only from files. This
 * file is in a new folder with a random name and mode 0700, so that other users cannot replace it and concurrent starts
 * do not conflict. It is deleted after it is opened.
 *
 * @public called by the module with which build.ts replaces the module of the add-on
 * @throws StartupProblem when no folder is both writable and executable.
 */
export function openAddon(name: string): unknown {
  const bytes = sea.getRawAsset(name)
  const folders = [tmpdir(), '/dev/shm', homedir(), path.dirname(process.execPath)]
  for (const parent of folders) {
    const addon = openFrom(parent, Buffer.from(bytes))
    if (addon) return addon.exports
  }
  throw new StartupProblem(
    `Coffer cannot load its native add-on from ${folders.join(', ')}: set TMPDIR to a folder where this user can write and execute files.`,
  )
}

function openFrom(parent: string, bytes: Buffer): { exports: unknown } | undefined {
  let folder: string | undefined
  try {
    folder = mkdtempSync(path.join(parent, '.coffer-'))
    const file = path.join(folder, 'add-on.node')
    writeFileSync(file, bytes, { mode: 0o700, flag: 'wx' })
    const addon = { exports: {} }
    process.dlopen(addon, file)
    return addon
  } catch {
    return // Full, read-only, mounted noexec …: tries the next folder.
  } finally {
    remove(folder)
  }
}

function remove(folder: string | undefined): void {
  try {
    if (folder) rmSync(folder, { recursive: true, force: true })
  } catch {
    // Windows does not delete an open add-on. The system cleans its temporary folder itself.
  }
}
