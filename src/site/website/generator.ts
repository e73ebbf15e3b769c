import { join } from 'node:path'
import type { SiteGenerator, StaticGen } from '#contract/publish.ts'
import { createKeyedLock } from '#src/core/concurrency/keyed-lock.ts'
import { entryOf } from '#src/core/lookup.ts'
import { Problem } from '#src/core/problem.ts'
import type { KeptStores } from '#src/files/kept/kept-stores.ts'
import { lstat, mkdir } from '#src/files/paths/disk.ts'
import type { ShownPart, ShownTree } from '#src/files/tree-walk/shown-tree.ts'
import { findProgramByNameOrPath } from '#src/sandbox/find-program.ts'
import type { run, Task } from '#src/sandbox/run.ts'
import type { Sandbox } from '#src/sandbox/sandbox.ts'

/** What the generator does: builds the site, or creates a page from an archetype. */
export interface GeneratorTask {
  site: StaticGen
  /** Real path of the site, which the generator only reads. */
  root: string
  /** Real path of the folder that the generator writes to. */
  output: string
  /** Arguments besides those of the settings. */
  args: readonly string[]
  /** Whether it is a build, with the arguments of the settings. */
  isBuild: boolean
  signal: AbortSignal
}

/** How a run of the generator ended. */
export interface GeneratorResult {
  isOk: boolean
  /** The last lines of output, without real paths of this host. */
  output: string
  /** Milliseconds. */
  duration: number
}

const timeoutMs = 10 * 60_000
// The output that ends a run, and the part of it that is kept: UTF-16 code units.
const mostOutput = 4 * 1024 * 1024
const keptOutput = 16 * 1024

/**
 * Runs the generator: a fixed list of arguments, no shell, a small environment. In a sandbox it sees the site, read-only,
 * and the output folder. Without one it runs with the rights of the server, so what would run code of the site is off:
 * Jekyll's plugins and Hugo's external programs.
 *
 * @param options.cacheFolder a folder for files that the generator caches between runs
 */
export function createGenerator(options: {
  kind: SiteGenerator
  sandbox: Sandbox | undefined
  served: string
  env: Readonly<Record<string, string>>
  cacheFolder: string
  stores: Pick<KeptStores, 'foldersIn'>
  run: typeof run
}) {
  const { kind, sandbox, served, cacheFolder } = options
  const resources = join(cacheFolder, 'site-resources')
  const locks = createKeyedLock()
  const env: Record<string, string> = {
    ...options.env,
    // Jekyll reads files in the encoding of the locale.
    ...(/utf-?8/i.test(options.env.LC_ALL || options.env.LANG || '') ? {} : { LC_ALL: 'C.UTF-8' }),
    HUGO_RESOURCEDIR: resources,
    HUGO_CACHEDIR: join(resources, 'modules'),
    ...(!sandbox && {
      HUGO_SECURITY_EXEC_ALLOW: 'none',
      HUGO_SECURITY_FUNCS_GETENV: 'none',
      HUGO_SECURITY_HTTP_URLS: 'none',
    }),
  }

  async function find({ Exe: name }: StaticGen): Promise<string> {
    const places = { path: env.PATH ?? '', served, within: sandbox?.programs }
    const program = await findProgramByNameOrPath(name, places)
    if (!program) throw new Problem('site.setting', { reason: `the program ${name} was not found` })
    return program
  }

  /** Jekyll runs a Gemfile as code. So Bundler is used only in the sandbox, and only for a site with a Gemfile.lock. */
  async function bundlerEnvironment(root: string): Promise<Record<string, string>> {
    if (kind !== 'jekyll') return {}
    const isLocked = sandbox !== undefined && (await exists(join(root, 'Gemfile.lock')))
    return isLocked ? {} : { JEKYLL_NO_BUNDLER_REQUIRE: 'true' }
  }

  async function enterSandbox(task: Task, shown: ShownTree): Promise<Task> {
    if (!sandbox) return task
    const { root } = shown
    const masks = await options.stores.foldersIn(root)
    const ready = await sandbox.wrapTask(task, { shown, isWritable: false, folder: root, masks })
    if ('refused' in ready) throw new Problem('site.setting', { reason: ready.refused })
    return ready
  }

  async function runNow(given: GeneratorTask): Promise<GeneratorResult> {
    const { site, root, output, args, isBuild, signal } = given
    const program = await find(site)
    await mkdir(resources, { recursive: true, mode: 0o700 })
    const words = [...(isBuild ? argumentsOf(kind, site, sandbox !== undefined) : []), ...args]
    // `hugo new` makes the public folder, which it may not do in the site.
    const publishFolder = isBuild ? {} : { HUGO_PUBLISHDIR: join(resources, 'public') }
    const variables = { ...env, ...publishFolder, ...(await bundlerEnvironment(root)) }
    const task = { program, name: kind, args: words, folder: root, env: variables }
    const parts = await Promise.all([
      partOf(root, false),
      ...[output, resources].map((folder) => partOf(folder, true)),
    ])
    const shown = { root, isWhole: true, parts, folders: [], links: [] }
    const ready = await enterSandbox(task, shown)
    const began = performance.now()
    const said = createTail()
    const end = await options.run(ready, { time: timeoutMs, output: mostOutput, signal }, said.add)
    const duration = Math.round(performance.now() - began)
    const reason = end.stopped && stopReasons[end.stopped]
    if (reason) said.add(reason)
    const text = withoutHostPaths(said.text(), { [output]: 'public', [root]: '.' })
    return { isOk: end.code === 0 && !end.stopped, output: text, duration }
  }

  return {
    kind,

    /**
     * Runs the generator, once at a time for one site: its runs share a folder of cached files.
     *
     * @throws Problem `site.setting` when the program is missing or no sandbox can show the site.
     */
    run: (task: GeneratorTask): Promise<GeneratorResult> =>
      locks.run(
        task.root,
        () => refuseStopping(task.signal),
        () => runNow(task),
      ),
  }
}

export type Generator = ReturnType<typeof createGenerator>

/** @throws Problem `server.stopping`. */
function refuseStopping({ aborted }: AbortSignal): void {
  if (aborted) throw new Problem('server.stopping')
}

const stopReasons = {
  time: 'The generator was stopped because it took longer than ten minutes.',
  output: 'The generator was stopped because it printed too much.',
  processes: 'The generator was stopped because it started too many processes.',
  left: 'The generator was stopped because the server is shutting down.',
} as const

/** The arguments of a build: those of the settings, and what the sandbox does not do. */
function argumentsOf(kind: SiteGenerator, { Args }: StaticGen, isSandboxed: boolean): string[] {
  if (kind === 'hugo') return ['--noBuildLock', ...Args]
  const [build = 'build', ...rest] = Args
  return [build, '--disable-disk-cache', ...(isSandboxed ? [] : ['--safe']), ...rest]
}

async function partOf(path: string, isWritable: boolean): Promise<ShownPart> {
  const { dev, ino } = await lstat(path, { bigint: true })
  return { path, id: `${dev}:${ino}`, isFolder: true, isWritable }
}

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  )
}

// ECMA-48 §5.4 and §8.3.89: colours and other commands for a terminal, and other control characters than tabs.
const terminalCommands =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the expression removes control characters
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g

/** Keeps the last lines of output, as plain text. */
function createTail() {
  const lines: string[] = []
  let length = 0
  return {
    add(given: string): boolean {
      const line = given.replace(terminalCommands, '')
      lines.push(line)
      length += line.length + 1
      while (length > keptOutput && lines.length > 1) length -= (lines.shift()?.length ?? 0) + 1
      return true
    },
    text: () => lines.join('\n').slice(-keptOutput),
  }
}

/** Replaces real paths of this host, longest first. Users with a scope must not learn where it is. */
function withoutHostPaths(output: string, names: Readonly<Record<string, string>>): string {
  const reals = Object.keys(names).toSorted((a, b) => b.length - a.length)
  return reals.reduce((text, path) => text.replaceAll(path, entryOf(names, path) ?? ''), output)
}
