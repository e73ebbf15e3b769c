import { execFileSync } from 'node:child_process'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { Actor } from '#src/access/principal.ts'
import { normalizePath } from '#src/files/paths/user-path.ts'
import { sandboxTools } from '#src/sandbox/sandbox-start.ts'
import { hasSandbox } from '#src/testing/sandbox.ts'
import { start } from '#src/testing/start.ts'
import { systemTool } from '#src/testing/system-tool.ts'

/** Mounts a disk at a folder until the test ends. Returns whether this system allows it. */
function mountAt(t: Test, folder: string): boolean {
  try {
    execFileSync(systemTool('mount'), ['-t', 'tmpfs', 'tmpfs', folder], { stdio: 'pipe' })
  } catch {
    return false
  }
  t.teardown(() => execFileSync(systemTool('umount'), ['-l', folder]))
  return true
}

for (const tool of sandboxTools) {
  t.test(`commands see nothing of the trash of a disk in their folder (${tool})`, async (t) => {
    if (!(await hasSandbox(tool))) return void t.pass(tool, { skip: 'this sandbox does not work here' })
    const running = await start(t, {
      tree: { disk: {}, other: {}, 'b.txt': 'b' },
      people: {
        ann: { commands: ['sh'], perm: { execute: true, delete: true, create: true, modify: true } },
      },
      config: { enableExec: true, execWithoutSandbox: false },
      sandbox: tool,
    })
    const { root, services, as } = running
    const [disk, other] = [join(root, 'disk'), join(root, 'other')]
    if (!mountAt(t, disk) || !mountAt(t, other))
      return void t.pass('a disk', { skip: 'it cannot be mounted' })
    writeFileSync(join(disk, 'a.txt'), 'CANARY')
    writeFileSync(join(other, 'c.txt'), 'CANARY')
    const ann = await as('ann')
    await ann('DELETE', '/api/resources/disk/a.txt')
    t.strictSame(readdirSync(disk), ['.coffer-kept'])
    const user = Object.values(running.document.data.users).find(({ username }) => username === 'ann')
    const actor = services.auth.personOf(user?.id ?? 0) as Actor
    const said: string[] = []
    const run = async (text: string) => {
      const io = { text, signal: AbortSignal.timeout(20_000), onLine: (line: string) => said.push(line) > 0 }
      return services.commands.run(actor, normalizePath('/'), io)
    }
    const script =
      'cat disk/.coffer-kept/*; find . -type f; touch disk/.coffer-kept/x; rmdir disk/.coffer-kept; echo new > disk/new'
    t.match(await run(`sh -c '${script}'`), { code: 0 })
    t.notMatch(said.join('\n'), /CANARY|\.json/)
    t.match(said.join('\n'), /^\.\/b\.txt$/m, 'but everything else')
    t.strictSame(readdirSync(disk).sort(), ['.coffer-kept', 'new'])
    t.equal(readdirSync(join(disk, '.coffer-kept')).length, 2, 'nor can they change it')
    said.length = 0
    // The trash of another disk begins while the command runs.
    const waiting = run(
      `sh -c 'touch other/ready; while [ -e other/c.txt ]; do sleep 0.05; done; cat other/.coffer-kept/*'`,
    )
    while (!readdirSync(other).includes('ready')) await new Promise((resolve) => setTimeout(resolve, 20))
    await ann('DELETE', '/api/resources/other/c.txt')
    await waiting
    t.notMatch(said.join('\n'), /CANARY/)
  })
}
