import type { Config } from '#src/config/config.ts'
import { cleanEnvironment } from '#src/sandbox/environment.ts'
import { run } from '#src/sandbox/run.ts'
import { findSandbox, type Sandbox } from '#src/sandbox/sandbox.ts'
import type { SandboxTool } from '#src/sandbox/sandbox-start.ts'

const plain = { memory: 2 * 1024 ** 3, hasNetwork: false, env: cleanEnvironment(), run }

/** Whether a sandbox can be made on this machine, with one tool or with any. */
export async function hasSandbox(tool?: SandboxTool): Promise<boolean> {
  return (
    'tool' in (await findSandbox({ ...plain, served: '/srv', secret: [], ...(tool && { tools: [tool] }) }))
  )
}

/** The sandbox for the commands of a test; undefined if its configuration does not use one. */
export async function sandboxOf(
  { root: served, execMemory: memory, execNetwork: hasNetwork, execWithoutSandbox }: Config,
  secret: readonly string[],
  tool: SandboxTool | undefined,
): Promise<Sandbox | undefined> {
  if (execWithoutSandbox) return undefined
  const found = await findSandbox({
    ...plain,
    memory,
    hasNetwork,
    served,
    secret,
    ...(tool && { tools: [tool] }),
  })
  if ('missing' in found) throw new Error(found.missing.join('; '))
  return found
}
