import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { startCoffer } from './coffer.ts'
import { type Bench, end, type Line, start } from './run.ts'

const connections = 32
const seconds = 5

/** Many small requests at once, signed in, through the jail and the rules. */
export async function benchRequests(bench: Bench): Promise<Line[]> {
  const coffer = await startCoffer(join(bench.folder, 'requests'))
  await writeFile(join(coffer.root, 'small.txt'), 'hello\n')
  const url = `http://127.0.0.1:${coffer.port}`
  const lines: Line[] = []
  for (const path of ['/api/resources/small.txt', '/api/raw/small.txt', '/health']) {
    await load(url + path, coffer.headers, 1)
    const { rate, p99, failed } = await load(url + path, coffer.headers, seconds)
    lines.push({
      what: `GET ${path}`,
      ours: `${rate.toFixed(0)} a second, p99 ${p99} ms`,
      peer: '',
      how: `autocannon, ${connections} connections, ${seconds} s after 1 s to warm up, ${failed} not answered 200`,
    })
  }
  await end(coffer.child)
  return lines
}

async function load(url: string, headers: Readonly<Record<string, string>>, duration: number) {
  const program = fileURLToPath(import.meta.resolve('autocannon'))
  const asked = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}=${value}`])
  const args = [program, '--json', '-n', '-c', `${connections}`, '-d', `${duration}`, ...asked, url]
  const child = start(process.execPath, args, 'pipe')
  const { requests, latency, non2xx, errors } = JSON.parse(child.stdout ? await text(child.stdout) : '{}')
  return { rate: Number(requests.average), p99: Number(latency.p99), failed: Number(non2xx) + Number(errors) }
}
