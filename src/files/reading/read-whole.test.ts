import { spawnSync } from 'node:child_process'
import { truncate } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { openJail, openPath } from '#src/files/jail/jail.ts'
import { normalizePath, rootPath } from '#src/files/paths/user-path.ts'
import { systemTool } from '#src/testing/system-tool.ts'
import { readWhole } from './read-whole.ts'

async function createOpener(root: string) {
  const jail = await openJail(root, rootPath, { allows: () => true, secret: [] })
  return (name: string) => openPath(jail, normalizePath(name).path)
}

t.test(
  'returns a small file completely, and nothing for a larger one, a folder and a pipe',
  { timeout: 10_000 },
  async (t) => {
    const root = t.testdir({ 'a b#?.css': 'body', empty: '', d: {} })
    spawnSync(systemTool('mkfifo'), [join(root, 'pipe')])
    const get = await createOpener(root)
    for (const [name, most, expected] of [
      ['a b#?.css', 4, 'body'],
      ['a b#?.css', 3, undefined],
      ['empty', 0, ''],
      ['d', 1e9, undefined],
      ['pipe', 1e9, undefined],
    ] as const) {
      await using held = await get(name)
      t.equal((await readWhole(held, most))?.toString(), expected, `${name}, ${most}`)
    }
  },
)

t.test('returns the remaining bytes of a file that is truncated while it is read', async (t) => {
  const root = t.testdir({ a: 'x'.repeat(1000) })
  await using held = await (await createOpener(root))('a')
  await truncate(join(root, 'a'), 10)
  t.equal((await readWhole(held, 1000))?.toString(), 'x'.repeat(10))
})
