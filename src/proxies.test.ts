import { once } from 'node:events'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from 'node:http'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import t, { type Test } from 'tap'
import { asPng, plain } from './testing/pictures.ts'
import { freePort, startCaddy, startNginx } from './testing/proxies.ts'
import { password, start } from './testing/start.ts'
import { listen, until } from './testing/wire.ts'

const examples = join(import.meta.dirname, 'testing', 'examples')
const example = (name: string) => readFileSync(join(examples, name), 'utf8')

// A client on this machine with another address than the proxy.
const client = '127.0.0.2'

/** The example configurations. Each is run as it is, except for the host and the ports. */
const proxies = [
  {
    name: 'nginx, which keeps the prefix',
    file: 'nginx.conf',
    tool: 'nginx',
    run: startNginx,
    host: 'listen 80;',
  },
  {
    name: 'nginx, which removes the prefix',
    file: 'nginx-strip.conf',
    tool: 'nginx',
    run: startNginx,
    host: 'listen 80;',
  },
  {
    name: 'Caddy, which keeps the prefix',
    file: 'Caddyfile',
    tool: 'caddy',
    run: startCaddy,
    host: 'files.example.org {',
  },
  {
    name: 'Caddy, which removes the prefix',
    file: 'Caddyfile-strip',
    tool: 'caddy',
    run: startCaddy,
    host: 'files.example.org {',
  },
] as const

type Proxy = (typeof proxies)[number]

/** Starts Coffer below `/files`, and the proxy in front of it. Undefined: the proxy is not installed. */
async function startBehind(t: Test, { file, run, host, tool }: Proxy) {
  const config = {
    ...{ baseUrl: '/files', trustedProxy: ['127.0.0.1'] },
    ...{
      enableExec: true,
      execWithoutSandbox: true,
      log: join(t.testdirName, 'log'),
      logFormat: 'json' as const,
    },
  }
  const people = {
    alice: { perm: { execute: true, create: true, share: true, download: true }, commands: ['echo'] },
  }
  const started = await start(t, { config, people })
  const [upstream, port] = [await listen(started.app), await freePort()]
  const own = tool === 'nginx' ? `listen 127.0.0.1:${port};` : `http://127.0.0.1:${port} {`
  const text = example(file)
  for (const part of [host, '127.0.0.1:8080']) t.ok(text.includes(part), `${file} has ${part}`)
  const address = await run(
    t,
    text.replace(host, own).replaceAll('127.0.0.1:8080', `127.0.0.1:${upstream}`),
    port,
  )
  return address === undefined ? undefined : { ...started, ...visitor(port), port }
}

interface Reply {
  status: number
  headers: IncomingHttpHeaders
  body: Buffer
}

/** A client that comes from an address of its own, and sends the path as it is. */
function visitor(port: number) {
  async function send(
    method: string,
    path: string,
    { headers = {}, body }: { headers?: OutgoingHttpHeaders; body?: string | Buffer } = {},
  ): Promise<Reply> {
    const where = { host: '127.0.0.1', port, localAddress: client, agent: false }
    const outgoing = request({ ...where, method, path, headers })
    // An error after the beginning of the response makes the reading of its body fail.
    outgoing.on('error', () => {})
    outgoing.end(body)
    const [reply] = await once(outgoing, 'response')
    return { status: reply.statusCode, headers: reply.headers, body: await buffer(reply) }
  }
  return { send }
}

// Characters that a proxy could decode or encode again.
const name = `a b#?%25&+;=é'"\\ü.txt`
const path = encodeURIComponent(name)

for (const proxy of proxies) {
  t.test(`Coffer works below a path behind ${proxy.name}`, async (t) => {
    const behind = await startBehind(t, proxy)
    if (!behind) return void t.pass(proxy.name, { skip: `${proxy.tool} is not installed` })
    const { send, root } = behind
    const forged = { 'x-forwarded-for': '198.51.100.7', 'x-forwarded-host': 'evil.test' }
    const body = JSON.stringify({ username: 'alice', password })
    const signedIn = await send('POST', '/files/api/login', { headers: forged, body })
    t.equal(signedIn.status, 200)
    const own = { 'x-auth': String(signedIn.body) }

    await checkPage(t, behind)
    await checkAddress(t, behind, own)
    await checkUploads(t, behind, own)
    const { items } = JSON.parse(String((await send('GET', '/files/api/resources/', { headers: own })).body))
    t.strictSame(items.map((item: { name: string }) => item.name).sort(), [`tus ${name}`, name].sort())

    const range = { ...own, range: 'bytes=5-9' }
    const part = await send('GET', `/files/api/raw/${path}`, { headers: range })
    t.match(part, { status: 206, headers: { 'content-range': `bytes 5-9/${whole.length}` } })
    t.ok(part.body.equals(whole.subarray(5, 10)))

    writeFileSync(join(root, 'p.png'), asPng(plain(40, 30, [200, 0, 0])))
    const preview = await send('GET', '/files/api/preview/thumb/p.png', { headers: own })
    t.match(preview, { status: 200, headers: { 'content-type': /^image\// } })

    await checkShare(t, behind, own)
    await checkCommand(t, behind, own)
  })
}

type Behind = NonNullable<Awaited<ReturnType<typeof startBehind>>>

async function checkPage(t: Test, { send }: Behind): Promise<void> {
  const bare = await send('GET', '/files')
  t.ok([301, 302].includes(bare.status), `status ${bare.status}`)
  t.match(bare.headers.location, /^(http:\/\/[^/]+)?\/files\/$/)
  for (const url of ['/files/', '/files/files/a/b', '/files/login']) {
    const page = await send('GET', url)
    t.equal(page.status, 200, url)
    t.match(String(page.body), /"BaseURL":"\/files","StaticURL":"\/files\/static"|"BaseURL":"\/files"/, url)
  }
  t.equal((await send('GET', '/files/static/manifest.webmanifest')).status, 200)
  t.equal((await send('GET', '/files/api/unknown')).status, 404)
}

/** The address of the client is the real one, and its request id is in both logs. */
async function checkAddress(
  t: Test,
  { config, services, send }: Behind,
  headers: OutgoingHttpHeaders,
): Promise<void> {
  t.equal((await services.sessions.ofUser(2))[0]?.address, client)
  const forged = { ...headers, 'x-forwarded-for': '198.51.100.7' }
  const reply = await send('GET', '/files/api/sessions', { headers: forged })
  const id = reply.headers['x-request-id']
  const lines = () => readFileSync(config.log, 'utf8').split('\n')
  const line = await until(() => lines().find((each) => each.includes(`"request":"${id}"`)))
  t.match(JSON.parse(line), { address: client, user: 'alice', url: '/api/sessions' })
}

// More than the default limit of nginx.
const whole = Buffer.alloc(2 * 1024 * 1024, 'the same words again ')

async function checkUploads(t: Test, { send, root }: Behind, headers: OutgoingHttpHeaders): Promise<void> {
  t.equal((await send('POST', `/files/api/resources/${path}`, { headers, body: whole })).status, 200)
  t.ok(readFileSync(join(root, name)).equals(whole))
  const begun = await send('POST', `/files/api/tus/tus%20${path}`, {
    headers: { ...headers, 'upload-length': '10' },
  })
  t.equal(begun.status, 201)
  const location = begun.headers.location ?? ''
  t.match(location, /^\/files\/api\/tus\/tus%20/, 'an upload goes on at an address that the proxy passes on')
  const piece = { ...headers, 'content-type': 'application/offset+octet-stream' }
  for (const [offset, body] of [
    ['0', 'hello'],
    ['5', 'world'],
  ] as const)
    t.equal(
      (await send('PATCH', location, { headers: { ...piece, 'upload-offset': offset }, body })).status,
      204,
    )
  t.equal(readFileSync(join(root, `tus ${name}`), 'utf8'), 'helloworld')
}

async function checkShare(t: Test, { send }: Behind, headers: OutgoingHttpHeaders): Promise<void> {
  const made = await send('POST', `/files/api/share/${path}`, { headers, body: '{}' })
  const { hash } = JSON.parse(String(made.body))
  const page = await send('GET', `/files/share/${hash}`)
  t.match(page, { status: 200, headers: { 'content-type': /^text\/html/ } })
  t.equal((await send('GET', `/files/api/public/share/${hash}`)).status, 200)
  t.ok((await send('GET', `/files/api/public/dl/${hash}/${path}`)).body.equals(whole))
}

/** A command over a WebSocket that a page of the proxy opens. */
async function checkCommand(t: Test, { port }: Behind, headers: OutgoingHttpHeaders): Promise<void> {
  const run = async (origin: string) => {
    const url = `ws://127.0.0.1:${port}/files/api/command/?auth=${headers['x-auth']}`
    const socket = new WebSocket(url, { headers: { origin } } as never)
    const said: string[] = []
    socket.addEventListener('open', () => socket.send('echo hello'))
    socket.addEventListener('message', ({ data }) => said.push(String(data)))
    socket.addEventListener('error', () => {})
    await new Promise((resolve) => socket.addEventListener('close', resolve))
    return said
  }
  t.match(await run(`http://127.0.0.1:${port}`), ['hello'])
  t.strictSame(await run('http://evil.test'), [])
}

t.test('the manual shows the configurations that these tests run', (t) => {
  const chapters = ['proxy', 'log'].map((name) => readFileSync(`src/manual/${name}.md`, 'utf8')).join('\n')
  const blocks = [...chapters.matchAll(/^```(\w*) *\n([\s\S]*?)^```/gm)].filter(
    ([, language = '', text]) => ['nginx', 'caddy'].includes(language) || text?.includes('failregex'),
  )
  t.equal(blocks.length, 3)
  const files = readdirSync(examples).map(example)
  for (const [, , text = ''] of blocks) t.ok(files.includes(text), text)
  t.end()
})
