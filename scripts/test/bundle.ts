// Bundles the program and each entry point of a worker thread into one file. The tests start thousands of threads and
// hundreds of programs, and loading the modules one by one takes most of the time of a short one.
import { globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { build, type Plugin } from 'esbuild'
import { addons } from '../build/addons.ts'

/** Where `test-hooks.mjs` and `src/testing/program.ts` find them: `main.js` and `<name>-worker.js`. */
export const bundleFolder = path.resolve('node_modules/.cache/test-bundle')

/** Bundles them, with source maps, so that errors name the lines of the sources. */
export async function bundleProgram(): Promise<void> {
  await build({
    entryPoints: ['src/cli/main.ts', ...globSync('src/workers/*-worker.ts')],
    outdir: bundleFolder,
    entryNames: '[name]',
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node26',
    external: addons.map(({ module }) => module),
    // Packages in CommonJS call `require` for modules of Node.
    banner: {
      js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url); process.setSourceMapsEnabled(true)",
    },
    sourcemap: 'linked',
    sourcesContent: false,
    plugins: [bundledThreads],
    logLevel: 'warning',
  })
}

/** Makes the bundled program start bundled threads. */
const bundledThreads: Plugin = {
  name: 'bundled threads',
  setup({ onLoad }) {
    onLoad({ filter: /core\/threads\/threads\.ts$/ }, async ({ path: file }) => {
      const source = await readFile(file, 'utf8')
      const contents = source.replace(/`\.\.\/\.\.\/workers\/(.*)-worker\.ts`/, '`./$1-worker.js`')
      if (contents === source) throw new Error(`${file} does not start threads as expected`)
      return { contents, loader: 'ts' }
    })
  },
}
