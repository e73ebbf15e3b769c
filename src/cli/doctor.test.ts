import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import t, { type Test } from 'tap'
import { zipEntries } from '#src/attacks/unpack.ts'
import { loadConfig } from '#src/config/load.ts'
import { createLog } from '#src/core/log/log.ts'
import { createRecentLines } from '#src/core/log/recent-lines.ts'
import { start } from '#src/start/main.ts'
import { run } from './cli.ts'

const password = 'correct horse battery'

/** A running server on a new folder, and a function that runs `coffer doctor`, all in this process. */
async function instance(t: Test) {
  const folder = t.testdir({ 'private photos': { 'rome 2024.jpg': 'x' } })
  const root = join(folder, 'private photos')
  const config = await loadConfig(
    ['--root', root, '--port', '0', '--username', 'henrietta', '--password', password],
    {},
  )
  const recentLines = createRecentLines()
  const log = createLog({ target: join(folder, 'log'), format: 'text', onLine: recentLines.add })
  const server = await start({ ...config, stopTimeoutMs: 0 }, { log, print: () => {}, recentLines })
  const printed: string[] = []
  /** Runs the command. Its lines are in `printed`, also when it fails. */
  async function doctor(...words: string[]): Promise<string> {
    printed.length = 0
    const print = (line: string) => void printed.push(line)
    const stdin = Readable.from([]) as NodeJS.ReadStream
    const argv = ['doctor', '--root', root, ...words]
    await run(argv, { command: ['coffer'], env: {}, stdin, print, warn: () => {} })
    return printed.join('\n')
  }
  const again = () => start({ ...config, stopTimeoutMs: 0 }, { log, print: () => {}, recentLines })
  return { folder, root, server, again, doctor, printed }
}

t.test('coffer doctor checks in the running server, or by itself, and fixes what is safe', async (t) => {
  const { root, server, doctor, printed } = await instance(t)
  const state = `${root}.coffer.json`
  t.match(await doctor(), /Checked by the running server/)
  writeFileSync(`${state}.aside`, '{}\n', { mode: 0o644 })
  await t.rejects(doctor('--json'), { message: 'There is 1 error.' })
  t.match(JSON.parse(printed.join('\n')), { isServer: true, findings: [{ level: 'error', fix: 'mode' }] })
  t.match(
    await doctor('--fix'),
    /Changed the mode of .*\.aside from 0644 to 0600\.\nChecked by the running server/,
  )
  t.equal(statSync(`${state}.aside`).mode & 0o777, 0o600)
  await server.close()
  t.match(await doctor('--address', '127.0.0.1', '--fix=false'), /not by a running server/)
  t.notMatch(await doctor(), '\u001b', 'no colours without a terminal')
})

t.test('coffer doctor reports options that serve refuses, and refuses wrong flags', async (t) => {
  const { root, server, doctor, printed } = await instance(t)
  await server.close()
  await t.rejects(doctor('--root', `${root}/none`), { message: 'There is 1 error.' })
  t.match(printed.join('\n'), /Errors\n {2}- The root folder .* does not exist/)
  await t.rejects(doctor('--cert', 'x'), { message: 'There is 1 error.' })
  t.match(printed.join('\n'), /--cert needs a private key/)
  await t.rejects(doctor('--colour'), { message: /Unknown flag --colour/ })
  await t.rejects(doctor('--bundle'), {
    name: 'StartupProblem',
    message: /--bundle needs a value: --bundle FILE/,
  })
})

t.test(
  'coffer doctor --bundle shows and writes a report without names, paths, addresses and secrets',
  async (t) => {
    const { folder, server, doctor, printed } = await instance(t)
    t.teardown(() => server.close())
    const body = JSON.stringify({ username: 'henrietta', password })
    const token = await (await fetch(`${server.url}api/login`, { method: 'POST', body })).text()
    for (const path of ['api/raw/rome%202024.jpg', 'api/resources/nonesuch%20x.txt', 'share/abcdefg'])
      await fetch(server.url + path, { headers: { 'X-Auth': token, 'X-Forwarded-For': '203.0.113.9' } })
    const file = join(folder, 'report.zip')
    await t.rejects(doctor('--bundle', file), { message: /add --yes/ })
    t.notOk(existsSync(file), 'nothing is written without an answer')
    const shown = await doctor('--bundle', file, '--yes')
    t.equal(statSync(file).mode & 0o777, 0o600)
    const utf8 = (bytes: string) => Buffer.from(bytes, 'latin1').toString()
    const content = new Map(zipEntries(readFileSync(file)).map((entry) => [entry.name, utf8(entry.content)]))
    t.strictSame(
      [...content.keys()],
      ['versions.txt', 'findings.txt', 'options.txt', 'settings.txt', 'log.txt'],
    )
    const text = [...content.values()].join('\n')
    t.match(text, /url=\/api\/raw\/path\d+ status=200 .*user=user1 address=address\d/)
    t.match(text, /options\.untrusted-proxy/)
    for (const part of content.values()) t.ok(shown.includes(part.trimEnd()), 'all of it was shown')
    for (const secret of [
      'henrietta',
      'photos',
      'rome',
      'nonesuch',
      'abcdefg',
      '203.0',
      password,
      token.slice(0, 30),
      folder,
    ])
      t.notMatch(text, secret, secret)
    await t.rejects(doctor('--bundle', file, '--yes'), { message: /exists: choose another one/ })
    await t.rejects(doctor('--bundle', join(folder, 'no', 'x.zip'), '--yes'), {
      message: /cannot be written \(ENOENT\)/,
    })
    const other = join(folder, 'other.zip')
    await doctor('--bundle', other, '--yes', '--json')
    t.match(JSON.parse(printed.join('\n')), {
      file: other,
      files: [{ name: 'versions.txt' }, {}, {}, {}, {}],
    })
  },
)

t.test('a bug report does not name the users and shares that were moved out of the state', async (t) => {
  const { folder, root, server, again, doctor } = await instance(t)
  await server.close()
  const state = JSON.parse(readFileSync(`${root}.coffer.json`, 'utf8'))
  state.users[7] = { ...state.users[1], id: 7, username: 'zebedee', perm: null }
  const hash = 'a'.repeat(22)
  state.shares[hash] = { hash, userID: 1, path: '/Divorce Papers', expire: null }
  writeFileSync(`${root}.coffer.json`, JSON.stringify(state))
  const server2 = await again()
  t.teardown(() => server2.close())
  t.match(readFileSync(join(folder, 'log'), 'utf8'), /record="user 7 \(zebedee\)"/)
  const file = join(folder, 'report.zip')
  await doctor('--bundle', file, '--yes')
  const text = zipEntries(readFileSync(file))
    .map(({ content }) => content)
    .join('')
  t.match(text, 'the server moved a damaged record out of the state record=')
  t.notMatch(text, /zebedee|Divorce|Papers/)
})
