import { readFile, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { type Coffer, executable, startCoffer } from './coffer.ts'
import { type Bench, exists, median, type ResultLine, runAlternating, stop } from './run.ts'

const shares = 50_000
const visitors = 1000
const files = 1000
const concurrent = 8
const content = Buffer.alloc(10 * 1024, 'x')

/** Measures shared links: a long list of them, many visitors of one, and files that visitors send. */
export async function benchLinks(bench: Bench): Promise<ResultLine[]> {
  const program = (await exists(executable)) ? executable : undefined
  return [await measureList(bench, program), ...(await measureVisitors(bench, program))]
}

/** The list of an administrator with many links. */
async function measureList({ folder, runs }: Bench, program: string | undefined): Promise<ResultLine> {
  const root = join(folder, 'links')
  await stop((await startCoffer(root, program)).child)
  await addShares(`${root}.coffer.json`)
  const coffer = await startCoffer(root, program)
  const times: number[] = []
  let bytes = 0
  for (let run = 0; run < runs; run++) {
    const began = performance.now()
    const reply = await fetch(`http://127.0.0.1:${coffer.port}/api/shares`, { headers: coffer.headers })
    bytes = (await reply.arrayBuffer()).byteLength
    times.push(performance.now() - began)
  }
  await stop(coffer.child)
  return {
    what: `list of ${shares} links`,
    ours: `${median(times).toFixed(0)} ms`,
    peer: '',
    how: `until the last of ${(bytes / 2 ** 20).toFixed(1)} MiB, median of ${runs}, limit 100 ms`,
  }
}

/** Adds links to the state of a stopped server: a thousand for each user, as many as one may have. */
async function addShares(file: string): Promise<void> {
  const state = JSON.parse(await readFile(file, 'utf8'))
  const made = Array.from({ length: shares }, (_, n) => {
    const hash = `bench-${String(n).padStart(16, '0')}`
    const share = {
      ...{ hash, userID: 1 + Math.floor(n / 1000), path: `/folder-${n % 100}/photo-${n}.jpg`, expire: 0 },
      ...{ created: 1_700_000_000 + n, password: '', thing: { dev: 1, ino: n + 1, birth: n + 1 } },
    }
    return [hash, share]
  })
  await writeFile(file, JSON.stringify({ ...state, shares: Object.fromEntries(made) }))
}

/** Visitors of one link, and files that they send, each compared with the same by a signed-in user. */
async function measureVisitors({ folder, runs }: Bench, program: string | undefined): Promise<ResultLine[]> {
  // Without the limit of requests before the sign-in, which is not measured here.
  const coffer = await startCoffer(join(folder, 'visitors'), program, ['--request-rate', '0'])
  for (let n = 0; n < 100; n++) await put(coffer, `shared/in-${n}.txt`, 'text')
  const made = await fetch(`http://127.0.0.1:${coffer.port}/api/share/shared`, {
    method: 'POST',
    headers: { ...coffer.headers, 'content-type': 'application/json' },
    body: JSON.stringify({ rights: 'upload-view' }),
  })
  const { hash } = (await made.json()) as { hash: string }
  let round = 0
  const visits = await runAlternating(
    {
      ours: () => perSecond(visitors, (n) => get(coffer, `/api/public/share/${hash}`, n)),
      peer: () => perSecond(visitors, (n) => get(coffer, '/api/resources/shared', n, coffer.headers)),
    },
    runs,
  )
  const sent = await runAlternating(
    {
      ours: () => sendAll(coffer, `/api/public/resources/${hash}/ours-${round++}`, {}),
      peer: () => sendAll(coffer, `/api/resources/shared/peer-${round++}`, coffer.headers),
    },
    runs,
  )
  await stop(coffer.child)
  return [
    lineOf(
      `${visitors} visitors of a link to a folder`,
      visits,
      'each from an address of its own, and listings of the same folder',
    ),
    lineOf(`${files} files of 10 KiB through a link`, sent, 'uploads of the same files, limit 0.9'),
  ]
}

function lineOf(
  what: string,
  { ours = 0, peer = 0 }: { ours?: number; peer?: number },
  how: string,
): ResultLine {
  const text = (rate: number) => `${rate.toFixed(0)} per second`
  return { what, ours: text(ours), peer: `${text(peer)} signed in`, ratio: ours / peer, how }
}

async function put({ port, headers }: Coffer, path: string, body: string): Promise<void> {
  const reply = await fetch(`http://127.0.0.1:${port}/api/resources/${path}`, {
    method: 'POST',
    headers,
    body,
  })
  if (!reply.ok) throw new Error(await reply.text())
}

/** Calls `task` for each number, some at the same time. Returns how many end in a second. */
async function perSecond(count: number, task: (n: number) => Promise<void>): Promise<number> {
  let next = 0
  const began = performance.now()
  const work = async () => {
    while (next < count) await task(next++)
  }
  await Promise.all(Array.from({ length: concurrent }, work))
  return (count / (performance.now() - began)) * 1000
}

/** Sends a request from one of many addresses of this machine. */
function get({ port }: Coffer, path: string, n: number, headers = {}): Promise<void> {
  const localAddress = `127.1.${n >> 8}.${n & 255}`
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path, headers, localAddress }, (reply) => {
      reply.resume()
      reply.once('end', () =>
        reply.statusCode === 200 ? resolve() : reject(new Error(`status ${reply.statusCode}`)),
      )
    })
    sent.once('error', reject).end()
  })
}

function sendAll({ port }: Coffer, path: string, headers: Record<string, string>): Promise<number> {
  return perSecond(files, async (n) => {
    const url = `http://127.0.0.1:${port}${path}-${n}.bin`
    const reply = await fetch(url, { method: 'POST', headers, body: content })
    if (!reply.ok) throw new Error(await reply.text())
    await reply.arrayBuffer()
  })
}
