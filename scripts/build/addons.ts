import { createRequire } from 'node:module'
import path from 'node:path'
import type { Plugin } from 'esbuild'

const require = createRequire(import.meta.url)

/** The packages with native add-ons. The executable contains the file of each as `<name>.node`. */
export const addons: readonly Addon[] = [
  { name: 'argon2', module: '@node-rs/argon2', files: '@node-rs/argon2' },
  { name: 'crc32', module: '@node-rs/crc32', files: '@node-rs/crc32' },
  { name: 'lz4-napi', module: 'lz4-napi', files: '@antoniomuso/lz4-napi' },
  { name: 'lzma', module: '@napi-rs/lzma', files: '@napi-rs/lzma' },
  { name: 'snappy', module: 'snappy', files: '@napi-rs/snappy' },
]

interface Addon {
  readonly name: string
  /** The package that code imports. */
  readonly module: string
  /** The packages with the files have this name, followed by a platform. */
  readonly files: string
}

/** The path of the file of each add-on, by its name. */
export type AddonFiles = Readonly<Record<string, string>>

/** Loads add-ons from the executable. Their packages would search for them in node_modules. */
export const addonsInside: Plugin = {
  name: 'addons-inside',
  setup(build) {
    const filter = new RegExp(`^(${addons.map(({ module }) => module).join('|')})$`)
    build.onResolve({ filter }, ({ path: name }) => ({ path: name, namespace: 'inside' }))
    build.onLoad({ filter: /.*/, namespace: 'inside' }, ({ path: name }) => ({
      contents: `import { openAddon } from '#src/core/embedded.ts'
        export const { ${Object.keys(require(name)).join(', ')} } = openAddon('${path.basename(name)}.node')`,
      resolveDir: path.resolve('src'),
    }))
  },
}

/** Returns the add-ons that npm installed for this machine. */
export function installedAddons(): AddonFiles {
  const files = addons.map(({ name, module }) => {
    require(module)
    const isAddon = new RegExp(`${name}[^/\\\\]*\\.node$`)
    const file = Object.keys(require.cache).find((each) => isAddon.test(each))
    if (!file) throw new Error(`${module} has no add-on for this machine: reinstall with npm ci`)
    return [name, file]
  })
  return Object.fromEntries(files)
}
