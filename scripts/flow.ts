// npm run flow [-- --files REQUEST]: prints how many files and functions of the server run on the main thread for one
// request of each kind, as the coverage of V8 counts them. Fewer mean less to read and less to do. `--files` prints the
// files of one request, with their lines (or of `all`). Each request is made once before, so that what runs at a first use does not count.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { startInstance } from '#src/testing/instance.ts'

const { values } = parseArgs({ options: { files: { type: 'string' } } })
const folder = mkdtempSync(path.join(tmpdir(), 'coffer-flow-'))
const root = path.join(folder, 'root')
const password = 'a long enough passphrase'
const v8 = new Session()

mkdirSync(root)
for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) writeFileSync(path.join(root, `${name}.txt`), 'text')
const server = await startInstance(root, password)
try {
  await measure()
} finally {
  await server.close()
  rmSync(folder, { recursive: true })
}

async function measure(): Promise<void> {
  const origin = server.url.replace(/\/$/, '')
  const sent = { method: 'POST', body: JSON.stringify({ username: 'admin', password }) }
  const signIn = await fetch(`${origin}/api/login`, {
    ...sent,
    headers: { 'Content-Type': 'application/json' },
  })
  const token = await signIn.text()

  /** Makes a request, and returns the id of its operation. */
  async function call(method: string, url: string, init: RequestInit = {}): Promise<string> {
    const headers = { 'X-Auth': token, ...init.headers }
    const reply = await fetch(origin + url, { ...init, method, headers })
    const text = await reply.text()
    if (!reply.ok) throw new Error(`${method} ${url}: ${reply.status} ${text}`)
    return reply.headers.get('x-operation') ?? ''
  }
  async function upload(name: string): Promise<void> {
    await call('POST', `/api/tus/${name}`, { headers: { 'Upload-Length': '4' } })
    const headers = { 'Upload-Offset': '0', 'Content-Type': 'application/offset+octet-stream' }
    await call('PATCH', `/api/tus/${name}`, { headers, body: 'text' })
  }
  let removal = ''
  /** Each request, and its second time. A number makes the names differ. */
  const requests: Record<string, (n: number) => Promise<unknown>> = {
    listing: () => call('GET', '/api/resources/'),
    download: (n) => call('GET', `/api/raw/${'ab'[n]}.txt`),
    upload: (n) => call('POST', `/api/resources/new${n}.txt`, { body: 'text' }),
    delete: async (n) => {
      removal = await call('DELETE', `/api/resources/${'cd'[n]}.txt`)
    },
    undo: () => call('POST', `/api/operations/${removal}/undo`),
    rename: (n) => call('PATCH', `/api/resources/${'ef'[n]}.txt?action=rename&destination=/renamed${n}.txt`),
    tus: (n) => upload(`tus${n}.txt`),
  }
  v8.connect()
  for (const [name, request] of Object.entries(requests)) {
    await request(0)
    if (name === 'undo') await requests.delete?.(1)
    const used = await coverageOf(() => request(1))
    const functions = used.reduce((sum, { count }) => sum + count, 0)
    console.log(
      `${name.padEnd(10)} ${String(used.length).padStart(4)} files ${String(functions).padStart(5)} functions`,
    )
    if (name === values.files || values.files === 'all')
      for (const { file, count, names } of used) {
        const lines = readFileSync(file, 'utf8').split('\n').length - 1
        console.log(`  ${String(count).padStart(4)} ${String(lines).padStart(4)} ${file}: ${names}`)
      }
  }
}

interface Used {
  file: string
  count: number
  names: string
}

/** The files of the server whose functions ran during `work`, with the number of these functions. */
async function coverageOf(work: () => Promise<unknown>): Promise<Used[]> {
  await v8.post('Profiler.enable')
  await v8.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  await work()
  const { result } = await v8.post('Profiler.takePreciseCoverage')
  await v8.post('Profiler.stopPreciseCoverage')
  return result.flatMap(({ url, functions }) => {
    const file = /\/(src\/(?!testing\/).*\.ts)$/.exec(url)?.[1]
    const ran = functions.filter(({ ranges }) => (ranges[0]?.count ?? 0) > 0)
    const names = ran.map(({ functionName }) => functionName || '=>').join(' ')
    return file && ran.length > 0 ? [{ file, count: ran.length, names }] : []
  })
}
