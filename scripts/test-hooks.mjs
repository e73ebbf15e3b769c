// Compiles TypeScript, JSX and lingui macros when tests import them. The type stripping of Node does not support JSX,
// and with these source maps coverage counts the right lines.
import { hash } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createRequire, registerHooks, stripTypeScriptTypes } from 'node:module'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { isMainThread } from 'node:worker_threads'

const usesMacro = /from\s+['"]@lingui\/(core|react)\/macro['"]/
const require = createRequire(import.meta.url)

// Compiling the server takes 1.5 s, which is more than most test files need for their tests. So results are cached. The
// versions of the compilers and of this file are part of each key.
const cache = path.join(import.meta.dirname, '../node_modules/.cache/test-hooks')
let version

// The folder with the bundled entry points of worker threads (`test/bundle.ts`). Undefined: they are loaded like other
// files.
const bundles = process.env.TEST_BUNDLE

// tap removes the folder of a test before the teardown functions run, unless a teardown function was there first. Then
// a server would still write into the folder, the removal could fail, and tap would wait for the server forever. This is
// for a test file that runs by itself; `test/worker.ts` does the same.
if (isMainThread && /\.test\.tsx?$/.test(process.argv[1] ?? '')) {
  const { t } = await import('tap')
  t.beforeEach((test) => test.teardown(() => {}))
}

registerHooks({
  load(url, context, next) {
    if (/\.(css|po)$/.test(url)) {
      return { format: 'module', source: 'export default {}; export const messages = {}', shortCircuit: true }
    }
    // The chapters of the manual, as the bundler imports them.
    if (/\.md$/.test(url)) {
      const text = readFileSync(fileURLToPath(url), 'utf8')
      return { format: 'module', source: `export default ${JSON.stringify(text)}`, shortCircuit: true }
    }
    if (!/\.tsx?$/.test(url) || url.includes('/node_modules/')) return next(url, context)
    const file = fileURLToPath(url)
    const [, worker] = /\/src\/workers\/([\w-]+)\.ts$/.exec(url) ?? []
    if (worker && bundles && !isMainThread) {
      const source = readFileSync(path.join(bundles, `${worker}.js`), 'utf8')
      return { format: 'module', source, shortCircuit: true }
    }
    const text = readFileSync(file, 'utf8')
    const code = compiled(file, text)
    return { format: 'module', source: code, shortCircuit: true }
  },
})

/** Returns the JavaScript of this source, from the cache if it was compiled before. */
function compiled(file, text) {
  version ??= hash(
    'sha1',
    ['test-hooks.mjs', '../package-lock.json']
      .map((file) => readFileSync(path.join(import.meta.dirname, file)))
      .join(),
  )
  const entry = path.join(cache, hash('sha1', `${version}\0${file}\0${text}`))
  try {
    return readFileSync(entry, 'utf8')
  } catch {
    const code = compile(file, text)
    mkdirSync(cache, { recursive: true })
    // Other test processes may write the same entry, so it appears under its name only when it is complete.
    writeFileSync(`${entry}.${process.pid}`, code)
    renameSync(`${entry}.${process.pid}`, entry)
    return code
  }
}

// The compilers are loaded at the first file that is not in the cache.
function compile(file, text) {
  const hasMacro = usesMacro.test(text)
  // Leaves each line where it is, so that errors and coverage need no source map.
  if (file.endsWith('.ts') && !hasMacro) return stripTypeScriptTypes(text)
  const { transformSync } = require('esbuild')
  const source = hasMacro ? expandMacros(text, file) : text
  return transformSync(source, {
    loader: file.endsWith('.tsx') || source !== text ? 'tsx' : 'ts',
    format: 'esm',
    target: 'node26',
    jsx: 'automatic',
    sourcemap: 'inline',
    sourcesContent: false,
    sourcefile: file,
  }).code
}

let linguiConfig

function expandMacros(text, file) {
  const { transformSync } = require('@babel/core')
  const macro = require('@lingui/babel-plugin-lingui-macro')
  linguiConfig ??= require('@lingui/conf').getConfig({
    configPath: new URL('../locales/lingui.config.ts', import.meta.url).pathname,
  })
  return transformSync(text, {
    filename: file,
    babelrc: false,
    configFile: false,
    sourceMaps: 'inline',
    parserOpts: { plugins: ['typescript', 'jsx'] },
    plugins: [[macro.default ?? macro, { linguiConfig }]],
  }).code
}
