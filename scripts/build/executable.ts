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

/** The folder for intermediate files. It can be deleted at any time. */
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
  // Modules inside the executable have no URL. Code that needs the URL runs only in the source tree.
  define: { 'import.meta.url': '"file:///coffer"' },
}

/**
 * Builds `bin/coffer` (`coffer.exe` on Windows) for this machine. It contains Node, the server, its worker threads, the
 * web build, the native add-on and the licences. Needs `web/dist`.
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
      // Compiles the code once here, not at every start.
      useCodeCache: true,
      assets: Object.fromEntries(Object.entries(assets).map(([name, file]) => [name, path.resolve(file)])),
      ...startFlags,
    },
  })
}

/** Two keys of the SEA configuration of Node that pkg does not know. They are passed on unchanged. */
const startFlags = {
  // Limits the young generation of the heap to 3 × 4 MiB: requests make little garbage, and an idle server stays small.
  // Access control lists are copied with `node:ffi`. Its experimental warning must not appear in the log.
  execArgv: ['--max-semi-space-size=4', '--disable-warning=ExperimentalWarning'],
  // Ignores NODE_OPTIONS, which may be set for other programs of the machine.
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

/** Returns the WebAssembly codecs for pictures and their paths in the packages. */
function codecs(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(codecFiles).map(([name, file]) => [`codecs/${name}.wasm`, require.resolve(file)]),
  )
}

/** Loads the add-on of `@node-rs/argon2` from the executable. The package would search for it in node_modules. */
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

/** Returns the path of the add-on that npm installed for this machine. */
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

/** Makes a copy of Node without symbols, a quarter smaller. Returns the original one where `strip` is not available. */
async function strippedNode(): Promise<string> {
  if (process.platform !== 'linux') return process.execPath
  const target = `${work}/node`
  const stripped = run('strip', ['-o', target, process.execPath])
  return stripped.then(
    () => target,
    () => process.execPath,
  )
}
