import type { Config } from '#src/config/config.ts'
import { StartupProblem } from '#src/core/problem.ts'
import { cleanEnvironment } from './environment.ts'
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
