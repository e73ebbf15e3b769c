import type { Config } from '#src/config/config.ts'
import { StartupProblem } from '#src/core/problem.ts'
import { cleanEnvironment } from './environment.ts'
import { findProgram } from './find-program.ts'
import { run } from './run.ts'
import { findSandbox, type Sandbox } from './sandbox.ts'

/**
 * Opens the sandbox for the commands of this instance. Returns undefined if commands are disabled or configured to
 * run without a sandbox.
 *
 * @param secret real paths that no command may reach
 * @param print prints a line that says how commands run
 * @throws StartupProblem if no sandbox can be made
 */
export async function openSandbox(
  config: Pick<Config, 'enableExec' | 'execWithoutSandbox' | 'execNetwork' | 'execMemory' | 'root'>,
  { secret, print }: { secret: readonly string[]; print: (line: string) => void },
): Promise<Sandbox | undefined> {
  if (!config.enableExec) return undefined
  if (config.execWithoutSandbox) {
    print('Commands run WITHOUT a sandbox: they can access everything that the server can access.')
    return undefined
  }
  const { root: served, execMemory: memory, execNetwork: hasNetwork } = config
  const found = await findSandbox({ served, secret, memory, hasNetwork, env: cleanEnvironment(), run })
  if ('missing' in found) {
    throw new StartupProblem(
      `--enable-exec found no working sandbox (${found.missing.join('; ')}): install bubblewrap 0.8 or newer on Linux and allow user ` +
        'namespaces, or use --exec-without-sandbox, which lets commands read and change everything that the server can.',
    )
  }
  print(found.description)
  return found
}

type SiteConfig = Pick<Config, 'staticgen' | 'execWithoutSandbox' | 'execNetwork' | 'execMemory' | 'root'>

// Where each generator comes from, for the message when it is missing.
const packages = { hugo: 'the package hugo', jekyll: 'the package jekyll, or the gem jekyll' }

/**
 * Opens the sandbox for the generator of the website: that of commands if there is one. Without a working sandbox, the
 * generator runs with the rights of the server, and a line says so. Undefined also when publishing is off.
 *
 * @throws StartupProblem when the generator is not installed
 */
export async function openSiteSandbox(
  config: SiteConfig,
  options: { sandbox: Sandbox | undefined; secret: readonly string[]; print: (line: string) => void },
): Promise<Sandbox | undefined> {
  const { staticgen: name, root: served, execMemory: memory, execNetwork: hasNetwork } = config
  if (!name) return undefined
  const env = cleanEnvironment()
  const requireProgram = async (within?: readonly string[]) => {
    if (await findProgram(name, { path: env.PATH ?? '', served, within })) return
    const where = within ? ` in one of the folders ${within.join(', ')}` : ''
    throw new StartupProblem(
      `--staticgen ${name} needs the program ${name}${where}: install ${packages[name]}.`,
    )
  }
  await requireProgram(options.sandbox?.programs)
  if (options.sandbox) return options.sandbox
  const { secret, print } = options
  const found = config.execWithoutSandbox
    ? { missing: ['--exec-without-sandbox'] }
    : await findSandbox({ served, secret, memory, hasNetwork, env, run })
  if (!('missing' in found)) {
    await requireProgram(found.programs)
    return found
  }
  print(
    `${name} runs WITHOUT a sandbox (${found.missing.join('; ')}): whoever may edit the website can publish every file that ` +
      'the server can read. Install bubblewrap 0.8 or newer.',
  )
  return undefined
}
