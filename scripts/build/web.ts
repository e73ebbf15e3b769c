import { cp, readdir, readFile, rename as renameFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { build, type Metafile } from 'esbuild'
import { minify } from 'terser'
import { kindSymbols } from '../../web/ui/kinds/kind-shapes.ts'
import { lazyChunks, replaceStoreHookPolyfill, separateIcons } from './first-load.ts'
import { languageFormats } from './language-formats.ts'
import { linguiCatalogues, linguiMacros } from './lingui.ts'
import { reactAriaLocales } from './react-aria-locales.ts'
import { isStyleSheet, styleSheets } from './style-sheets.ts'

const dist = 'web/dist'
const text = /\.(js|css|html|svg|json|webmanifest|txt)$/

/**
 * Builds `web/dist`: hashed scripts and styles, the files of `web/public` under their names, the page template with the
 * hashed names, `meta.json` of the bundle, and a Brotli and a gzip copy of every text file.
 */
export async function buildWeb(): Promise<void> {
  await rm(dist, { recursive: true, force: true })
  const { metafile } = await build({
    entryPoints: ['web/main.tsx', 'web/early.ts', 'first-styles', 'later-styles'],
    outdir: dist,
    bundle: true,
    format: 'esm',
    splitting: true,
    minify: true,
    metafile: true,
    charset: 'utf8',
    legalComments: 'none',
    target: ['chrome120', 'firefox121', 'safari17.2'],
    // WebKit breaks concurrent imports of modules with one (https://bugs.webkit.org/show_bug.cgi?id=242740).
    supported: { 'top-level-await': false },
    jsx: 'automatic',
    define: {
      'process.env.NODE_ENV': '"production"',
      // Removes the connection to React's developer tools, which is 300 bytes of the first load.
      __REACT_DEVTOOLS_GLOBAL_HOOK__: 'undefined',
    },
    // Every name contains the hash of the content, so that browsers can cache the file for ever.
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    assetNames: '[name]-[hash]',
    loader: { '.woff2': 'file', '.png': 'file', '.svg': 'file', '.md': 'text' },
    plugins: [
      separateIcons,
      replaceStoreHookPolyfill,
      lazyChunks,
      styleSheets,
      linguiMacros,
      linguiCatalogues,
      languageFormats,
      reactAriaLocales,
    ],
    logLevel: 'warning',
  })
  await shrink(metafile)
  await nameChunks(metafile)
  await dropScriptStyles(metafile)
  await cp('web/public', dist, { recursive: true }).catch(ignoreMissing)
  await writeFile(`${dist}/index.html`, fillPage(await readFile('web/index.html', 'utf8'), metafile))
  await compressTexts()
  await writeFile(`${dist}/meta.json`, JSON.stringify(metafile))
}

/** Writes the hashed names and the icons of files into the page, and preloads the static imports of the entry. */
function fillPage(page: string, { outputs }: Metafile): string {
  const name = (file: string) => path.relative(dist, file)
  const [script, entry] =
    Object.entries(outputs).find(([, { entryPoint }]) => entryPoint === 'web/main.tsx') ?? []
  if (!script || !entry) throw new Error('the bundle has no entry point web/main.tsx')
  const preloads = entry.imports
    .filter(({ kind }) => kind === 'import-statement')
    .map((chunk) => `<link rel="modulepreload" href="%STATIC%/${name(chunk.path)}">`)
  const fileOf = (entry: string) =>
    name(Object.keys(outputs).find((file) => outputs[file]?.entryPoint?.endsWith(entry)) ?? '')
  return page
    .replace('%STATIC%/main.js', `%STATIC%/${name(script)}`)
    .replace('%STATIC%/early.js', `%STATIC%/${fileOf('web/early.ts')}`)
    .replace('%STATIC%/main.css', `%STATIC%/${fileOf('first-styles')}`)
    .replace('%STATIC%/later.css', `%STATIC%/${fileOf('later-styles')}`)
    .replace('<svg></svg>', kindSymbols())
    .replace('</head>', `${preloads.join('')}</head>`)
}

/** Minifies the scripts again: terser makes them 2.5 % smaller than esbuild. Skips the editor, which takes too long. */
async function shrink({ outputs }: Metafile): Promise<void> {
  for (const [file, { inputs }] of Object.entries(outputs)) {
    if (!file.endsWith('.js') || Object.keys(inputs).some((input) => editorCode.test(input))) continue
    const options = { module: true, ecma: 2022, compress: { passes: 3 }, mangle: true } as const
    const { code } = await minify(await readFile(file, 'utf8'), options)
    if (!code) throw new Error(`${file} is empty after the build`)
    await writeFile(file, code)
  }
}

/**
 * Gives the scripts descriptive names, which the size budgets use (`scripts/size-limit.json`). The bundler names every
 * shared script `chunk-…`, and the budget of the first load counts all of those.
 */
async function nameChunks({ outputs }: Metafile): Promise<void> {
  const [first, editor] = [
    reached(outputs, 'web/main.tsx'),
    reached(outputs, 'web/app/chunks/later-editor.ts'),
  ]
  const scripts = Object.keys(outputs).filter((file) => file.endsWith('.js'))
  const named = scripts
    .filter((file) => !first.has(file))
    .map(
      (file) => [path.basename(file), nameOf(path.basename(file), outputs[file], editor.has(file))] as const,
    )
    .filter(([before, after]) => before !== after)
  const rename = (text: string) =>
    named.reduce((text, [before, after]) => text.replaceAll(before, after), text)
  for (const file of scripts) await writeFile(file, rename(await readFile(file, 'utf8')))
  await Promise.all(named.map(([before]) => renameFile(`${dist}/${before}`, `${dist}/${rename(before)}`)))
}

/** Returns the script of `entry` and all scripts that are loaded together with it. */
function reached(outputs: Metafile['outputs'], entry: string): ReadonlySet<string> {
  const found = new Set<string>()
  const add = (file: string) => {
    if (found.has(file)) return
    found.add(file)
    for (const { path, kind } of outputs[file]?.imports ?? []) if (kind === 'import-statement') add(path)
  }
  for (const [file, { entryPoint }] of Object.entries(outputs)) if (entryPoint === entry) add(file)
  return found
}

const editorCode = /node_modules\/(@codemirror|@lezer|@marijn|style-mod|w3c-keyname|crelt)\//

/** Returns the name of a script that only lazy chunks need: the editor, a language, or code that they share. */
function nameOf(name: string, output: Metafile['outputs'][string] | undefined, isOfEditor: boolean): string {
  const [, language] = /@codemirror\/(?:lang-|legacy-modes\/mode\/)(\w+)/.exec(output?.entryPoint ?? '') ?? []
  if (language) return name.replace(/^[\w.]+-/, `language-${language}-`)
  if (!name.startsWith('chunk-')) return name
  if (!Object.keys(output?.inputs ?? {}).every((file) => editorCode.test(file)))
    return name.replace('chunk-', 'shared-')
  return name.replace('chunk-', isOfEditor ? 'editor-' : 'languages-')
}

/** Removes the style sheets that the bundler made of scripts. The page has two others with all styles. */
async function dropScriptStyles({ outputs }: Metafile): Promise<void> {
  const others = Object.keys(outputs).filter((file) => file.endsWith('.css') && !isStyleSheet(outputs[file]))
  await Promise.all(others.map((file) => rm(file)))
}

async function compressTexts(): Promise<void> {
  const names = await readdir(dist, { recursive: true })
  const texts = names.filter((name) => text.test(name) && name !== 'index.html')
  await Promise.all(
    texts.map(async (name) => {
      const file = `${dist}/${name}`
      const body = await readFile(file)
      const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: body.length }
      await writeFile(`${file}.br`, await promisify(brotliCompress)(body, { params }))
      await writeFile(`${file}.gz`, await promisify(gzip)(body, { level: 9 }))
    }),
  )
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error
}
