// Compiles TypeScript, JSX and lingui macros when tests import them. The type stripping of Node does not support JSX,
// and with these source maps coverage counts the right lines.
import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'
import { getConfig } from '@lingui/conf'
import { transformSync } from 'esbuild'

const usesMacro = /from\s+['"]@lingui\/(core|react)\/macro['"]/

registerHooks({
  load(url, context, next) {
    if (/\.(css|po)$/.test(url)) {
      return { format: 'module', source: 'export default {}; export const messages = {}', shortCircuit: true }
    }
    if (!/\.tsx?$/.test(url) || url.includes('/node_modules/')) return next(url, context)
    const file = fileURLToPath(url)
    const text = readFileSync(file, 'utf8')
    const source = usesMacro.test(text) ? expandMacros(text, file) : text
    const { code } = transformSync(source, {
      loader: file.endsWith('.tsx') || source !== text ? 'tsx' : 'ts',
      format: 'esm',
      target: 'node26',
      jsx: 'automatic',
      sourcemap: 'inline',
      sourcefile: file,
    })
    return { format: 'module', source: code, shortCircuit: true }
  },
})

const { transformSync: babel } = await import('@babel/core')
const { default: macro } = await import('@lingui/babel-plugin-lingui-macro')

let linguiConfig

function expandMacros(text, file) {
  // Loaded at the first macro, because most tests use none.
  linguiConfig ??= getConfig({ configPath: new URL('../locales/lingui.config.ts', import.meta.url).pathname })
  return babel(text, {
    filename: file,
    babelrc: false,
    configFile: false,
    sourceMaps: 'inline',
    parserOpts: { plugins: ['typescript', 'jsx'] },
    plugins: [[macro, { linguiConfig }]],
  }).code
}
