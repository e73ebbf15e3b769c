import { globSync } from 'node:fs'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import { type BuildOptions, build, type Metafile, type Plugin } from 'esbuild'
import { codecFiles } from '#src/files/pictures/codec-files.ts'
import { addonsInside } from './addons.ts'
import { licencesOf, packageFolders } from './licences.ts'

const require = createRequire(import.meta.url)

/** The folder for intermediate files. It can be deleted at any time. */
export const work = path.resolve('bin/build')

/** The file with all licences, which `bundle` writes. */
export const licences = path.join(work, 'licences.txt')

/** Everything in the executable that is the same on each platform. */
export interface Bundle {
  /** The absolute path of the first script, which runs that of the server. */
  readonly start: string
  /** The absolute path of the server's script: one function that takes `require` and `__dirname`. */
  readonly main: string
  /** The absolute paths of the embedded files, by the names under which the program reads them. */
  readonly assets: Readonly<Record<string, string>>
  /** The folders of all packages with code in the executable, such as `node_modules/fastify`. */
  readonly packages: readonly string[]
}

const node: BuildOptions = {
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'node26',
  minifySyntax: true,
  minifyWhitespace: true,
  // V8 stores a source with other characters with two bytes for each: 3 MB more.
  charset: 'ascii',
  legalComments: 'none',
  logLevel: 'warning',
  // Modules inside the executable have no URL. Code that needs the URL runs only in the source tree.
  define: { 'import.meta.url': '"file:///coffer"' },
}

/** Bundles the server and its worker threads into the folder `work`. Needs `web/dist`. */
export async function bundle(): Promise<Bundle> {
  await rm(work, { recursive: true, force: true })
  await mkdir(work, { recursive: true })
  const main = `${work}/server.js`
  const server = await build({
    ...node,
    entryPoints: ['src/cli/main.ts'],
    outfile: main,
    banner: { js: '(function (require, __dirname) {' },
    footer: { js: '})' },
    metafile: true,
    plugins: [addonsInside, withoutGlob, withoutSemver],
  })
  const start = `${work}/start.js`
  await build({ ...node, entryPoints: ['src/cli/start.ts'], outfile: start })
  const { workers, metafile } = await buildWorkers()
  const page = JSON.parse(await readFile('web/dist/meta.json', 'utf8')) as Metafile
  const packages = packageFolders([server.metafile, metafile, page])
  await writeFile(licences, await licencesOf(packages))
  const assets = {
    ...webFiles(),
    ...(await compressed({ ...workers, ...codecs(), 'licences.txt': licences })),
  }
  return { start, main, packages, assets: mapValues(assets, (file) => path.resolve(file)) }
}

function mapValues(files: Record<string, string>, change: (file: string) => string): Record<string, string> {
  return Object.fromEntries(Object.entries(files).map(([name, file]) => [name, change(file)]))
}

/** The files of the web build. Those with a Brotli copy are embedded only compressed. */
function webFiles(): Record<string, string> {
  // Sorted, so that each build embeds the files in the same order.
  const files = globSync('web/dist/**/*.*').sort()
  const copies = new Set(files.filter((file) => file.endsWith('.br')))
  const embedded = files.filter((file) => !file.endsWith('meta.json') && !copies.has(`${file}.br`))
  return Object.fromEntries(embedded.map((file) => [webName(file), file]))
}

function webName(file: string): string {
  return `web/${path.relative('web/dist', file).split(path.sep).join('/')}`
}

/** Compresses the files that are needed rarely. This makes the executable 3.5 MB smaller. */
async function compressed(files: Record<string, string>): Promise<Record<string, string>> {
  const entries = Object.entries(files).map(async ([name, file]) => {
    const target = path.join(work, 'compressed', `${name}.br`)
    await mkdir(path.dirname(target), { recursive: true })
    await writeFile(target, brotliCompressSync(await readFile(file)))
    return [`${name}.br`, target]
  })
  return Object.fromEntries(await Promise.all(entries))
}

async function buildWorkers(): Promise<{ workers: Record<string, string>; metafile: Metafile }> {
  const entryPoints = globSync('src/workers/*-worker.ts').sort()
  const outdir = `${work}/workers`
  const entryNames = '[name]'
  const plugins = [addonsInside]
  const { metafile } = await build({ ...node, entryPoints, outdir, entryNames, plugins, metafile: true })
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

/** Leaves out a package that `@fastify/static` needs only for options that Coffer does not use: it takes 15 ms at start. */
const withoutGlob: Plugin = {
  name: 'without-glob',
  setup(build) {
    build.onResolve({ filter: /^glob$/ }, () => ({ path: 'glob', namespace: 'unused' }))
    build.onLoad({ filter: /.*/, namespace: 'unused' }, () => ({ contents: 'exports.glob = undefined' }))
  },
}

/**
 * Leaves out the package with which Fastify checks that a plugin is made for its version: it takes 12 ms at start. The
 * versions of both are fixed in the build, and every test checks them.
 */
const withoutSemver: Plugin = {
  name: 'without-semver',
  setup(build) {
    build.onResolve({ filter: /^semver$/ }, ({ importer }) =>
      /fastify[\\/]lib[\\/]plugin-utils/.test(importer)
        ? { path: 'semver', namespace: 'unchecked' }
        : undefined,
    )
    build.onLoad({ filter: /.*/, namespace: 'unchecked' }, () => ({
      contents:
        'exports.satisfies = () => true; exports.gt = () => false; exports.coerce = (version) => version',
    }))
  },
}
