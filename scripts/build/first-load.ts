// Build plugins that keep the first load of the page small, and in one file.
import { existsSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Plugin } from 'esbuild'

const icons = 'lucide-react/dist/esm'

/**
 * Gives each file its own list of icons. With the one long list of the package, the bundler would add every icon to
 * each file that shows one. Draws them with our own small component.
 */
export const separateIcons: Plugin = {
  name: 'icons-apart',
  setup(build) {
    const fileOf = iconFiles()
    build.onResolve({ filter: /^lucide-react$/ }, ({ importer }) => ({
      path: importer,
      namespace: 'icons',
      sideEffects: false,
    }))
    build.onLoad({ filter: /.*/, namespace: 'icons' }, async ({ path: importer }) => {
      const source = await readFile(importer, 'utf8')
      const [, list = ''] = /import \{([^}]+)\} from 'lucide-react'/.exec(source) ?? []
      const names = list.split(',').map((name) => name.trim().replace(/ as .*/, ''))
      const lines = names
        .filter((name) => fileOf.has(name))
        .map((name) => `export { default as ${name} } from '${icons}/${fileOf.get(name)}'`)
      return { contents: lines.join('\n'), resolveDir: path.dirname(importer) }
    })
    build.onLoad(
      { filter: /[\\/]lucide-react[\\/]dist[\\/]esm[\\/]icons[\\/][\w-]+\.mjs$/ },
      async ({ path: file }) => ({
        contents: await smallIcon(file),
        resolveDir: path.resolve('web/ui'),
      }),
    )
  },
}

interface IconFile {
  __iconData: { name: string; node: [tag: string, attributes: Record<string, string>][] }
}

/** Returns the module of an icon that uses our own component. Its shapes are children, which need no `key`. */
async function smallIcon(file: string): Promise<string> {
  const { __iconData } = (await import(pathToFileURL(file).href)) as IconFile
  const shapes = __iconData.node.map(([tag, { key: _, ...attributes }]) => [tag, attributes])
  return `import { createIcon } from './draw-icon.ts'
    export default /* @__PURE__ */ createIcon(${JSON.stringify(__iconData.name)}, ${JSON.stringify(shapes)})`
}

function iconFiles(): Map<string, string> {
  const list = readFileSync(`node_modules/${icons}/lucide-react.mjs`, 'utf8')
  const exports = [...list.matchAll(/^export \{([^}]+)\} from '\.\/(icons\/[^']+)'/gm)]
  return new Map(
    exports.flatMap(([, names = '', file = '']) =>
      [...names.matchAll(/default as (\w+)/g)].map(([, name = '']) => [name, file] as const),
    ),
  )
}

/** Replaces the polyfill of a hook in two libraries. React has had this hook itself since version 18. */
export const replaceStoreHookPolyfill: Plugin = {
  name: 'own-store-hook',
  setup(build) {
    build.onResolve({ filter: /^use-sync-external-store\/shim/ }, ({ resolveDir, kind }) =>
      build.resolve('react', { resolveDir, kind }),
    )
  },
}

/**
 * Makes every lazy chunk (`web/app/chunks/…`) import the whole entry, which is loaded anyway. Otherwise the bundler splits
 * the entry into one file for each set of chunks that share some of its code.
 */
export const lazyChunks: Plugin = {
  name: 'later-parts',
  setup(build) {
    build.onLoad({ filter: /[\\/]web[\\/]app[\\/]chunks[\\/][\w-]+\.ts$/ }, async ({ path: file }) => ({
      contents: `import '#web/main.tsx'\n${await readFile(file, 'utf8')}`,
      loader: 'ts',
      resolveDir: path.dirname(file),
    }))
  },
}

/**
 * Returns our source files that the entry imports without a lazy import, and those of the sign-in page. They contain all
 * messages of the first load, and import all of its styles.
 */
export function firstLoadFiles(): ReadonlySet<string> {
  const found = new Set<string>()
  const visit = (file: string) => {
    // Ignores missing files: the error message of the bundler is better.
    if (found.has(file) || !/\.tsx?$/.test(file) || !existsSync(file)) return
    found.add(file)
    const imports = readFileSync(file, 'utf8').matchAll(
      /^(?:import|export)\s(?!type\b)(?:[^'"]*?\sfrom\s)?'([#.][^']+)'/gm,
    )
    for (const [, to = ''] of imports) {
      if (to.startsWith('#web/')) visit(to.slice(1))
      else if (to.startsWith('.')) visit(path.posix.join(path.posix.dirname(file), to))
    }
  }
  visit('web/main.tsx')
  visit('web/app/chunks/sign-in.ts')
  return found
}
