// Tests the built executable. Each test copies it to an empty folder and runs it with an empty environment.
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { killAfter } from '#src/testing/kill-after.ts'

const built = path.resolve('bin/coffer')
const run = promisify(execFile)

if (!existsSync(built)) t.bailout('bin/coffer is missing: build it with npm run build')

interface Place {
  readonly folder: string
  readonly program: string
}

function setUp(t: Test): Place {
  const folder = t.testdir({ files: { 'a b#?.txt': 'hello' } })
  mkdirSync(path.join(folder, 'empty'))
  const program = path.join(folder, 'empty', 'coffer')
  copyFileSync(built, program)
  return { folder, program }
}

async function refused(program: string, args: string[]): Promise<string> {
  const error = await run(program, args, { env: {}, timeout: 20_000 }).catch((error) => error)
  if (error.code !== 2) throw new Error(`${args.join(' ')} ended with ${error.code}`)
  if (error.stdout !== '') throw new Error('a refusal belongs on stderr')
  return error.stderr
}

/** Starts the server on a free port. `output` returns what it has printed so far. */
async function serve(t: Test, { folder, program }: Place, args: string[] = []) {
  const child = spawn(program, ['--root', path.join(folder, 'files'), '--port', '0', ...args], {
    env: {},
    cwd: folder,
  })
  killAfter(t, child)
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output += text
    })
  }
  const printed = async (wanted: RegExp): Promise<RegExpExecArray> => {
    for (;;) {
      const found = wanted.exec(output)
      if (found) return found
      if (child.exitCode !== null) throw new Error(`ended with ${child.exitCode}: ${output}`)
      await Promise.race([once(child.stdout, 'data'), once(child.stderr, 'data'), once(child, 'close')])
    }
  }
  const [, url = ''] = await printed(/Coffer serves .* at (http:\/\/\S+?)\/?\n/)
  return { child, url, output: () => output }
}

async function stopped(child: ChildProcess): Promise<number | null> {
  const end = once(child, 'close')
  child.kill('SIGTERM')
  const [code] = await end
  return code
}

t.test('the executable prints its version, help and licences, and hashes a password', async (t) => {
  const { program } = setUp(t)
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
  for (const words of [['version'], ['--version']]) {
    t.equal((await run(program, words, { env: {} })).stdout, `coffer ${version}\n`)
  }
  for (const words of [['help'], ['--help'], ['serve', '-h']]) {
    t.match((await run(program, words, { env: {} })).stdout, /--root FOLDER/)
  }
  t.match(
    (await run(program, ['licences'], { env: {} })).stdout,
    /Apache License[\s\S]*fastify[\s\S]*Node\.js/,
  )
  t.match(
    (await run(program, ['hash', 'correct horse'], { env: {} })).stdout,
    /^\$argon2id\$v=19\$m=19456,t=2,p=1\$\S+\n$/,
  )
})

t.test('`coffer licences | head -1` prints one line and ends without an error', async (t) => {
  const { program } = setUp(t)
  // `head` closes the pipe after the first line, while megabytes are still to be written.
  const script = '"$0" licences 2>"$1" | head -1; cat "$1"; rm -f "$1"; exit "${PIPESTATUS[0]}"'
  const { stdout } = await run('/bin/bash', ['-c', script, program, `${t.testdirName}.err`])
  t.equal(stdout.trim().split('\n').length, 1, stdout)
})

t.test('the executable prints a systemd unit that runs it', async (t) => {
  const { program, folder } = setUp(t)
  const { stdout } = await run(program, ['systemd', '--root', 'files'], { env: {}, cwd: folder })
  t.ok(stdout.includes(`ExecStart=${program} serve --root=${folder}/files`), stdout)
})

t.test(
  'an administrator is created with the code printed at the first start, uploads, downloads and signs out',
  async (t) => {
    const place = setUp(t)
    const first = await serve(t, place)
    t.strictSame(await (await fetch(`${first.url}/health`)).json(), { status: 'OK' })
    const page = await (await fetch(`${first.url}/setup`)).text()
    const [, script = ''] = /<script type="module" src="([^"]+)"/.exec(page) ?? []
    const asset = async (coding: string) => {
      const response = await fetch(new URL(script, first.url), { headers: { 'accept-encoding': coding } })
      return { coding: response.headers.get('content-encoding'), text: await response.text() }
    }
    const { text } = await asset('br')
    t.match(text, /export|import/)
    t.strictSame(await asset('gzip'), { coding: 'gzip', text })
    t.strictSame(await asset('identity'), { coding: null, text }, 'a client may accept no compression')

    const code = /the code (\S+)/.exec(first.output())?.[1] ?? ''
    const created = await fetch(`${first.url}/api/setup`, {
      method: 'POST',
      body: JSON.stringify({ code, username: 'admin', password: 'a long enough passphrase' }),
      headers: { 'content-type': 'application/json' },
    })
    t.equal(created.status, 200)
    const headers = { 'X-Auth': await created.text() }
    const listing = await (await fetch(`${first.url}/api/resources/`, { headers })).json()
    t.match(listing, { kind: 'listing', items: [{ name: 'a b#?.txt', size: 5 }] })
    const bytes = Buffer.alloc(3_000_000, 'coffer')
    const upload = await fetch(`${first.url}/api/resources/new%20%23.bin`, {
      method: 'POST',
      headers,
      body: bytes,
    })
    t.equal(upload.status, 200)
    const download = await fetch(`${first.url}/api/raw/new%20%23.bin`, { headers })
    t.ok(Buffer.from(await download.arrayBuffer()).equals(bytes))
    t.equal((await fetch(`${first.url}/api/logout`, { method: 'POST', headers })).status, 200)
    t.equal((await fetch(`${first.url}/api/resources/`, { headers })).status, 401)
    t.equal(await stopped(first.child), 0, 'SIGTERM ends it with code 0')
    t.equal(first.output().split(code).length, 2, 'the code was printed once')

    const second = await serve(t, place)
    t.notMatch(second.output(), /the code/i, 'the second start prints no code')
    t.equal(await stopped(second.child), 0)
    t.strictSame(
      readdirSync(path.join(place.folder, 'empty')),
      ['coffer'],
      'no other file is beside the executable',
    )
  },
)

t.test('the executable does not compile its code at each start', async (t) => {
  const { program, folder } = setUp(t)
  const words = ['doctor', '--bundle', 'report.zip', '--yes', '--root', 'files']
  const { stdout } = await run(program, words, { env: {}, cwd: folder }).catch((error) => error)
  t.match(stdout, /^compiled at: the build$/m)
})

t.test('commands of the executable work while it serves, and after it', async (t) => {
  const place = setUp(t)
  const { child } = await serve(t, place, ['--password', 'a long enough passphrase'])
  const coffer = async (...words: string[]) => {
    const running = run(place.program, [...words, '--root', path.join(place.folder, 'files')], { env: {} })
    running.child.stdin?.end('another long passphrase\n')
    return (await running).stdout
  }
  t.match(await coffer('users', 'add', 'bob'), /^Created the user bob \(id 2\)/)
  t.match(await coffer('config', 'cat'), /^signup: false$/m)
  await coffer('users', 'export', path.join(place.folder, 'users.yaml'))
  t.equal(await stopped(child), 0)
  t.match(await coffer('users', 'rm', 'bob'), /^Deleted/)
  await coffer('users', 'import', path.join(place.folder, 'users.yaml'))
  t.match(await coffer('users', 'ls'), /^3 +bob/m)
  t.match((await run(place.program, ['completion', 'bash'], { env: {} })).stdout, /complete .* coffer$/m)
})

t.test('an invalid start ends with a one-sentence error and code 2', async (t) => {
  const place = setUp(t)
  const { program, folder } = place
  writeFileSync(path.join(folder, 'damaged.json'), '{')
  writeFileSync(path.join(folder, 'other.json'), '{"version":4,"users":null}')
  const root = ['--root', path.join(folder, 'files')]
  const cases: [string[], RegExp][] = [
    [['--rot', '/'], /Unknown flag --rot/],
    [['frobnicate'], /Unknown command frobnicate/],
    [['--root', path.join(folder, 'nowhere')], /does not exist/],
    [['--root', program], /not a folder/],
    [[...root, '--cert', program], /--key/],
    [[...root, '--port', '0', '--database', path.join(folder, 'damaged.json')], /damaged\.json/],
    [[...root, '--port', '0', '--database', path.join(folder, 'other.json')], /is damaged at \//],
    [[...root, '--port', '0', '--log', path.join(folder, 'no', 'log')], /log .* cannot be written/],
  ]
  for (const [args, sentence] of cases) {
    const words = await refused(program, args)
    t.match(words, sentence)
    t.match(words, /^[^\n]+\.\n$/, 'one sentence')
    t.notMatch(words, /\.js:|\.ts:/, 'no stack')
  }
  t.equal(readFileSync(path.join(folder, 'damaged.json'), 'utf8'), '{', 'a damaged state file is not changed')

  const { child, url } = await serve(t, place)
  const other = ['--database', path.join(folder, 'second.json'), '--password', 'never printed anywhere']
  t.match(await refused(program, [...root, ...other, '--port', new URL(url).port]), /Port \d+ .* is in use/)
  t.match(await refused(program, [...root, '--port', '0']), /^[^\n]+\.\n$/, 'a state file in use')
  t.equal(await stopped(child), 0)
})
