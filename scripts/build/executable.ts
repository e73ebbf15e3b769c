import { execFile } from 'node:child_process'
import { globSync } from 'node:fs'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import { promisify } from 'node:util'
import pkg from '@yao-pkg/pkg/lib-es5/sea.js'
import { type BuildOptions, build, type Metafile, type Plugin } from 'esbuild'
import { codecFiles } from '#src/files/pictures/codec-files.ts'
import { licences } from './licences.ts'

const run = promisify(execFile)
const require = createRequire(import.meta.url)

/** Everything on the way to the executable; may be deleted at any time. */
const work = path.resolve('bin/build')

const node: BuildOptions = {
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'node26',
  minifySyntax: true,
  minifyWhitespace: true,
  charset: 'utf8',
  legalComments: 'none',
  logLevel: 'warning',
  // Inside the executable no module has an address; code that asks runs only in the source tree.
  define: { 'import.meta.url': '"file:///coffer"' },
}

/**
 * Makes `bin/coffer` (`coffer.exe` on Windows) for this machine: Node, the server, its threads, the web build, the native
 * add-on and the licences in one file. Needs `web/dist`.
 */
export async function buildExecutable(): Promise<void> {
  await rm(work, { recursive: true, force: true })
  await mkdir(work, { recursive: true })
  const server = await build({
    ...node,
    entryPoints: ['src/cli/main.ts'],
    outfile: `${work}/server.js`,
    metafile: true,
    plugins: [argon2Inside],
  })
  const { workers, metafile } = await buildWorkers()
  const web = globSync('web/dist/**/*.*')
  const page = JSON.parse(await readFile('web/dist/meta.json', 'utf8')) as Metafile
  await writeFile(`${work}/licences.txt`, await licences([server.metafile, metafile, page]))
  const assets = {
    ...Object.fromEntries(
      web.filter((file) => !file.endsWith('meta.json')).map((file) => [webName(file), file]),
    ),
    ...workers,
    ...codecs(),
    'argon2.node': argon2File(),
    'licences.txt': `${work}/licences.txt`,
  }
  const output = path.resolve(process.platform === 'win32' ? 'bin/coffer.exe' : 'bin/coffer')
  await pkg.default(`${work}/server.js`, {
    nodePath: await strippedNode(),
    targets: [{ ...host(), nodeRange: `node${process.versions.node.split('.')[0]}`, output }],
    seaConfig: {
      disableExperimentalSEAWarning: true,
      useSnapshot: false,
      // Compiled once here instead of at every start.
      useCodeCache: true,
      assets: Object.fromEntries(Object.entries(assets).map(([name, file]) => [name, path.resolve(file)])),
      ...startFlags,
    },
  })
}

/** Passed on as they are: pkg does not know these two keys of Node's own configuration. */
const startFlags = {
  // Young objects live in at most 3 × 4 MiB: requests make little garbage, and an idle server stays small.
  // Access lists of files are copied with `node:ffi`, and the log of a server is no place for a word about that.
  execArgv: ['--max-semi-space-size=4', '--disable-warning=ExperimentalWarning'],
  // NODE_OPTIONS is meant for other programs of the machine.
  execArgvExtension: 'none',
}

function webName(file: string): string {
  return `web/${path.relative('web/dist', file).split(path.sep).join('/')}`
}

async function buildWorkers(): Promise<{ workers: Record<string, string>; metafile: Metafile }> {
  const entryPoints = globSync('src/workers/*-worker.ts')
  const outdir = `${work}/workers`
  const { metafile } = await build({ ...node, entryPoints, outdir, entryNames: '[name]', metafile: true })
  const names = entryPoints.map((file) => path.basename(file, '.ts'))
  const workers = Object.fromEntries(
    names.map((name) => [`workers/${name.replace(/-worker$/, '')}.js`, `${outdir}/${name}.js`]),
  )
  return { workers, metafile }
}

/** The WebAssembly of pictures, as it lies in its packages. */
function codecs(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(codecFiles).map(([name, file]) => [`codecs/${name}.wasm`, require.resolve(file)]),
  )
}

/** `@node-rs/argon2` looks for its add-on in node_modules; inside the executable it comes from there. */
const argon2Inside: Plugin = {
  name: 'argon2-inside',
  setup(build) {
    build.onResolve({ filter: /^@node-rs\/argon2$/ }, () => ({ path: 'argon2', namespace: 'inside' }))
    build.onLoad({ filter: /.*/, namespace: 'inside' }, () => ({
      contents: `import { openAddon } from '#src/core/embedded.ts'
        export const { ${Object.keys(require('@node-rs/argon2')).join(', ')} } = openAddon('argon2.node')`,
      resolveDir: path.resolve('src'),
    }))
  },
}

/** The add-on that npm chose for this machine. */
function argon2File(): string {
  require('@node-rs/argon2')
  const file = Object.keys(require.cache).find((name) => /argon2[^/\\]*\.node$/.test(name))
  if (!file) throw new Error('@node-rs/argon2 has no add-on for this machine: reinstall with npm ci')
  return file
}

function host() {
  const platform = ({ linux: 'linux', darwin: 'macos', win32: 'win' } as const)[process.platform as 'linux']
  return { platform, arch: process.arch as 'x64' }
}

/** A copy of our Node without its symbols, a quarter smaller; the plain one where there is no `strip`. */
async function strippedNode(): Promise<string> {
  if (process.platform !== 'linux') return process.execPath
  const target = `${work}/node`
  const stripped = run('strip', ['-o', target, process.execPath])
  return stripped.then(
    () => target,
    () => process.execPath,
  )
}
