import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { Metafile, Plugin } from 'esbuild'
import { firstLoadFiles } from './first-load.ts'

/** Styles of later folders override those of earlier ones, as imports go. */
const order = ['style', 'ui', 'actions', 'overlays', 'shared', 'features', 'app']

const namespace = 'style-sheets'

/**
 * Makes the two style sheets of the page: `first-styles` for the scripts of the first load, and `later-styles` for all
 * lazy chunks (`web/ui/loading/later-styles.ts`). The bundler would add all styles to the sheet of the entry, also those of lazy
 * chunks.
 */
export const styleSheets: Plugin = {
  name: namespace,
  setup(build) {
    build.onResolve({ filter: /^(first|later)-styles$/ }, ({ path }) => ({ path, namespace }))
    build.onLoad({ filter: /.*/, namespace }, ({ path: name }) => {
      const first = new Set([...firstLoadFiles()].flatMap(stylesOf))
      const all = globSync('web/{app,actions,overlays,shared,features,ui}/**/*.module.css')
      const files = name === 'first-styles' ? [...first] : all.filter((file) => !first.has(file))
      const rank = (file: string) => order.indexOf(file.split('/')[1] ?? '')
      files.sort((one, other) => rank(one) - rank(other) || (one < other ? -1 : 1))
      // Also the sheet that arrives later must name the layers first.
      const layers = /@layer [^;{]+;/.exec(readFileSync('web/style/base.css', 'utf8'))?.[0]
      const imports = files.map((file) => `@import ${JSON.stringify(`./${file}`)};`)
      return { contents: [layers, ...imports].join('\n'), loader: 'css', resolveDir: process.cwd() }
    })
  },
}

/** Whether an output is one of the two style sheets. */
export function isStyleSheet(output: Metafile['outputs'][string] | undefined): boolean {
  return output?.entryPoint?.startsWith(`${namespace}:`) ?? false
}

/** Returns the style sheets that a script imports. */
function stylesOf(script: string): string[] {
  const imports = readFileSync(script, 'utf8').matchAll(/^import\s(?:\w+\sfrom\s)?'([#.][^']+\.css)'/gm)
  return [...imports].map(([, to = '']) =>
    to.startsWith('#') ? to.slice(1) : path.posix.join(path.posix.dirname(script), to),
  )
}
