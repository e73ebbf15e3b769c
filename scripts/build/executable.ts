import { execFile } from 'node:child_process'
import { copyFile, link, mkdir, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import pkg from '@yao-pkg/pkg/lib-es5/sea.js'
import { type AddonFiles, installedAddons } from './addons.ts'
import { type Bundle, bundle, work } from './bundle.ts'
import { compileCode } from './compile-code.ts'

const run = promisify(execFile)

/** What makes the executables of two platforms different. */
export interface Target {
  readonly platform: 'linux' | 'darwin' | 'win32'
  readonly arch: 'x64' | 'arm64'
  /** The file with Node for the platform, in the version of this process. */
  readonly node: string
  /** The add-ons for the platform. */
  readonly addons: AddonFiles
}

/**
 * Builds `bin/coffer` (`coffer.exe` on Windows) for this machine. It contains Node, the server, its worker threads, the
 * web build, the native add-ons and the licences. Needs `web/dist`.
 */
export async function buildExecutable(): Promise<void> {
  const output = path.resolve(process.platform === 'win32' ? 'bin/coffer.exe' : 'bin/coffer')
  const target: Target = {
    platform: process.platform as 'linux',
    arch: process.arch as 'x64',
    node: process.execPath,
    addons: installedAddons(),
  }
  // The code is compiled once here, not at every start.
  const parts = await bundle()
  const compiledCode = await compileCode(parts.main, { assets: withAddons(parts, target), flags: v8Flags })
  await makeExecutable(parts, target, { output, compiledCode })
}

/**
 * Writes the executable for one platform. Two calls with the same files write the same bytes, if there is no compiled
 * code.
 *
 * @param how.compiledCode the file with compiled code, which only Node for this machine can use. Undefined: V8 compiles
 *   the code at each start.
 */
export async function makeExecutable(
  parts: Bundle,
  target: Target,
  { output, compiledCode }: { output: string; compiledCode?: string },
): Promise<void> {
  const { start, main } = parts
  const restore = await seedNodeOf(target)
  try {
    const platform = ({ linux: 'linux', darwin: 'macos', win32: 'win' } as const)[target.platform]
    const nodeRange = `node${process.versions.node}`
    await pkg.default(start, {
      targets: [{ platform, arch: target.arch, nodeRange, output: path.resolve(output) }],
      seaConfig: {
        disableExperimentalSEAWarning: true,
        useSnapshot: false,
        useCodeCache: compiledCode !== undefined,
        assets: {
          ...withAddons(parts, target),
          'server.js': main,
          ...(compiledCode && { 'server.cache': compiledCode }),
        },
        ...startFlags,
        // The path is embedded. It is relative to the folder in which pkg works, so that it names no folder of this
        // machine.
        ...{ main: path.join('..', '..', path.basename(start)) },
      },
    })
  } finally {
    restore()
  }
}

function withAddons({ assets }: Bundle, { addons }: Target): Record<string, string> {
  const files = Object.entries(addons).map(([name, file]) => [`${name}.node`, path.resolve(file)])
  return { ...assets, ...Object.fromEntries(files) }
}

// Limits the young generation of the heap to 3 × 8 MiB, so that an idle server stays small. With 4 MiB, collecting garbage
// takes 15 % of the time of many small uploads, with 16 MiB as long as with 8.
const v8Flags = ['--max-semi-space-size=8']

/** Two keys of the SEA configuration of Node that pkg does not know. They are passed on unchanged. */
const startFlags = {
  // Access control lists are copied with `node:ffi`. Its experimental warning must not appear in the log.
  execArgv: [...v8Flags, '--disable-warning=ExperimentalWarning'],
  // Ignores NODE_OPTIONS, which may be set for other programs of the machine.
  execArgvExtension: 'none',
}

/**
 * Places Node for the platform where pkg looks for its downloads, so that it downloads nothing: below the home folder,
 * which is a folder of the build meanwhile. The option `nodePath` of pkg does not work for other platforms, because
 * pkg would run the file.
 *
 * @returns a function that resets the variables
 */
async function seedNodeOf({ platform, arch, node }: Target): Promise<() => void> {
  const [home, temporary] = [path.join(work, 'home'), path.join(work, 'tmp')]
  const release = `node-v${process.versions.node}-${platform === 'win32' ? 'win' : platform}-${arch}`
  const cache = path.join(home, '.pkg-cache', 'sea')
  const [archive, file] =
    platform === 'win32'
      ? [`${release}.zip`, path.join(cache, `${release}.exe`)]
      : [`${release}.tar.gz`, path.join(cache, release, 'bin', 'node')]
  await mkdir(path.dirname(file), { recursive: true })
  await mkdir(temporary, { recursive: true })
  const stripped = platform === 'linux' ? await strippedNode(node, arch) : node
  await rm(file, { force: true })
  await link(stripped, file).catch(() => copyFile(stripped, file))
  for (const done of [path.join(cache, archive), path.join(cache, `${archive}.ok`), `${file}.ok`])
    await writeFile(done, '')
  const previous = { ...process.env }
  Object.assign(process.env, { HOME: home, USERPROFILE: home, TMPDIR: temporary, TEMP: temporary })
  return () => {
    for (const name of ['HOME', 'USERPROFILE', 'TMPDIR', 'TEMP'])
      if (previous[name] === undefined) delete process.env[name]
      else process.env[name] = previous[name]
  }
}

/**
 * Makes a copy of Node without symbols, a quarter smaller. Returns the original one where no program can do this: the
 * `strip` of GNU knows only its own platform, that of LLVM knows all.
 */
async function strippedNode(node: string, arch: string): Promise<string> {
  const target = path.join(work, `node-${arch}`)
  const foreign = `${arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu-strip`
  for (const tool of arch === process.arch ? ['strip'] : [foreign, 'llvm-strip']) {
    const isDone = await run(tool, ['-o', target, node]).then(
      () => true,
      () => false,
    )
    if (isDone) return target
  }
  return node
}
