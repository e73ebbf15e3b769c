import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { transformAsync } from '@babel/core'
import macro from '@lingui/babel-plugin-lingui-macro'
import { createCompiledCatalog, getCatalogForFile, getCatalogs } from '@lingui/cli/api'
import { getConfig } from '@lingui/conf'
import type { OnLoadResult, Plugin } from 'esbuild'
import { firstLoadFiles } from './first-load.ts'

const config = getConfig({ configPath: path.resolve('locales/lingui.config.ts') })
const usesMacro = /from\s+['"]@lingui\/(core|react)\/macro['"]/

/**
 * Expands the lingui macros in the files that import them. esbuild compiles all other files itself, which is faster.
 */
export const linguiMacros: Plugin = {
  name: 'lingui-macros',
  setup(build) {
    const descriptorFields = build.initialOptions.minify ? 'id-only' : 'message'
    build.onLoad({ filter: /\.tsx?$/ }, async ({ path: file }) => {
      if (file.includes(`${path.sep}node_modules${path.sep}`)) return
      const source = await readFile(file, 'utf8')
      if (!usesMacro.test(source)) return
      const result = await transformAsync(source, {
        filename: file,
        babelrc: false,
        configFile: false,
        compact: false,
        // Babel only parses this syntax. esbuild then strips the types and compiles the JSX.
        parserOpts: { plugins: ['typescript', 'jsx'] },
        plugins: [[macro as never, { descriptorFields, linguiConfig: config }]],
      })
      return { contents: result?.code ?? '', loader: 'tsx', resolveDir: path.dirname(file) }
    })
  },
}

/**
 * Turns an import of `locales/ar.po` into a module with the compiled messages of that language, including fallbacks. It
 * contains the messages of the first load; with `?later` after the name, all others.
 */
export const linguiCatalogues: Plugin = {
  name: 'lingui-catalogues',
  setup(build) {
    const catalogues = getCatalogs(config)
    const first = firstLoadFiles()
    build.onResolve({ filter: /\.po\?later$/ }, ({ path: file, resolveDir }) => {
      const { dir, base } = path.parse(path.resolve(resolveDir, file.replace('?later', '')))
      // The chunk gets its name from this path.
      return { path: path.join(dir, `later-${base}`), namespace: 'later-words' }
    })
    build.onLoad({ filter: /\.po$/, namespace: 'later-words' }, ({ path: file }) =>
      words(file.replace('later-', ''), true),
    )
    build.onLoad({ filter: /\.po$/ }, ({ path: file }) => words(file, false))

    async function words(file: string, isLater: boolean): Promise<OnLoadResult> {
      const { locale, catalog } =
        getCatalogForFile(path.relative(config.rootDir, file), await catalogues) ?? {}
      if (!locale || !catalog)
        return { errors: [{ text: `${file} is not a catalogue of locales/lingui.config.ts` }] }
      const { messages } = await catalog.getTranslations(locale, {
        fallbackLocales: config.fallbackLocales,
        sourceLocale: config.sourceLocale,
      })
      const known = (await catalog.read(config.sourceLocale ?? 'en')) ?? {}
      const isLaterMessage = (id: string) =>
        known[id]?.origin?.every(([origin]) => !first.has(origin.replace(/^(\.\.\/)+/, ''))) ?? false
      const selected = Object.fromEntries(
        Object.entries(messages).filter(([id]) => isLaterMessage(id) === isLater),
      )
      const { source, errors } = createCompiledCatalog(locale, selected, { strict: false, namespace: 'es' })
      return {
        contents: source,
        loader: 'js',
        watchFiles: [file],
        errors: errors.map((error) => ({ text: `${locale}: ${error.id}: ${error.error.message}` })),
      }
    }
  },
}
