import { createRequire } from 'node:module'
import path from 'node:path'
import type { Plugin } from 'esbuild'

const require = createRequire(import.meta.url)

/** The packages of `@node-rs` with native add-ons. The executable contains the file of each as `<name>.node`. */
export const addonNames = ['argon2', 'crc32'] as const

/** The path of the file of each add-on. */
export type AddonFiles = Readonly<Record<(typeof addonNames)[number], string>>

/** Loads add-ons from the executable. Their packages would search for them in node_modules. */
export const addonsInside: Plugin = {
  name: 'addons-inside',
  setup(build) {
    const filter = new RegExp(`^@node-rs/(${addonNames.join('|')})$`)
    build.onResolve({ filter }, ({ path: name }) => ({ path: path.basename(name), namespace: 'inside' }))
    build.onLoad({ filter: /.*/, namespace: 'inside' }, ({ path: name }) => ({
      contents: `import { openAddon } from '#src/core/embedded.ts'
        export const { ${Object.keys(require(`@node-rs/${name}`)).join(', ')} } = openAddon('${name}.node')`,
      resolveDir: path.resolve('src'),
    }))
  },
}

/** Returns the add-ons that npm installed for this machine. */
export function installedAddons(): AddonFiles {
  const files = addonNames.map((name) => {
    require(`@node-rs/${name}`)
    const isAddon = new RegExp(`${name}[^/\\\\]*\\.node$`)
    const file = Object.keys(require.cache).find((each) => isAddon.test(each))
    if (!file) throw new Error(`@node-rs/${name} has no add-on for this machine: reinstall with npm ci`)
    return [name, file]
  })
  return Object.fromEntries(files)
}
