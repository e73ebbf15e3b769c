import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { start } from '#src/testing/start.ts'

t.test('a folder comes as a zip', async (t) => {
  const { as, base } = await start(t, {
    tree: { docs: { 'a.txt': 'hello'.repeat(100), empty: {}, 'b.bin': Buffer.alloc(3_000_000, 'xyz') } },
  })
  const admin = await as('admin')
  for (const algo of ['zip', 'tar', 'targz', 'tarzst']) {
    const reply = await admin('GET', `/api/raw/docs?algo=${algo}`)
    t.equal(reply.statusCode, 200, reply.body)
    const file = join(base, `x.${algo}`)
    writeFileSync(file, reply.rawPayload)
    if (algo === 'zip') t.comment(execFileSync('unzip', ['-tv', file]).toString())
    else
      t.comment(
        execFileSync(
          'tar',
          [{ tar: '-tvf', targz: '-tvzf', tarzst: '--zstd -tvf' }[algo] ?? '', file].flatMap((x) =>
            x.split(' '),
          ),
        ).toString(),
      )
  }
})
