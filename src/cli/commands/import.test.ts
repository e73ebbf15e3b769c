import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { importWorld } from '#src/testing/import-samples.ts'
import { run, serve, signIn } from '#src/testing/program.ts'

t.test('coffer import prints what it did and what to start, and the server then has the users', async (t) => {
  const { root, base, put } = await importWorld(t)
  const flags = ['--root', root]
  const dry = run(t, 'import', put('fb-2.63.db'), '--dry-run', '--json', ...flags)
  t.equal(await dry.ended, 0)
  const report = JSON.parse(dry.said())
  t.match(report, {
    ...{ written: false, backup: null, database: `${root}.coffer.json`, flags: ['--root', root] },
    files: [/database of File Browser 2$/],
  })
  t.ok(report.lines.length > 20)
  t.strictSame(readdirSync(base).sort(), ['files', 'root', 'web'])

  const first = run(t, 'import', put('fb-2.63.db'), ...flags)
  t.equal(await first.ended, 0)
  t.match(first.said(), /^user +alice +imported +id 2, scope \/users\/alice$/m)
  t.match(first.said(), /^setting +key +dropped +Coffer makes its own key/m)
  t.match(first.said(), `coffer serve --root ${root}\nWrote ${root}.coffer.json.\n`)
  const hashes = Object.keys(JSON.parse(readFileSync(`${root}.coffer.json`, 'utf8')).shares)
  for (const hash of hashes) t.notMatch(first.said(), hash, 'the report ends up in logs')

  const server = await serve(t, root)
  t.ok(await signIn(server.port, 'Sample-Admin-1'))
  const during = run(t, 'import', put('fb-2.1.db'), ...flags)
  t.equal(await during.ended, 2)
  t.match(during.said(), /^Another Coffer process uses the state/)
  const again = run(t, 'import', put('fb-2.1.db'), '--first-start', ...flags)
  t.equal(await again.ended, 0)
  t.match(again.said(), /^Coffer has a state .* already: .* is not imported\.\n$/)
})

t.test('coffer import refuses what it cannot import with one sentence', async (t) => {
  const { root, put } = await importWorld(t)
  writeFileSync(put('file.db', ''), Buffer.alloc(100_000, 0xed))
  for (const [args, message] of [
    [['import', put('x.json', '{}'), '--root', root], /^.*x\.json cannot be imported: .*\n$/],
    [['import', join(root, 'none'), '--root', root], /^The file .* does not exist: check the path\.\n$/],
    [['import', '--root', root], /^Arguments are missing: coffer import FILE/],
    [['import', 'a', 'b', '--first-start', '--root', root], /^--first-start takes one file/],
  ] as const) {
    const program = run(t, ...args)
    t.equal(await program.ended, 2)
    t.match(program.said(), message)
  }
  t.notOk(existsSync(`${root}.coffer.json`))
})
