import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { startCoffer } from './coffer.ts'
import { type Bench, find, type ResultLine, start, stop } from './run.ts'

const connections = 32
const seconds = 5
const leastRate = 8000
const how = `autocannon, ${connections} connections, ${seconds} s after 1 s of warm-up`

/** Measures many concurrent small requests of a signed-in user, including path and rule checks. */
export async function benchRequests(bench: Bench): Promise<ResultLine[]> {
  const coffer = await startCoffer(join(bench.folder, 'requests'))
  await writeFile(join(coffer.root, 'small.txt'), 'hello\n')
  const url = `http://127.0.0.1:${coffer.port}`
  const lines: ResultLine[] = []
  const file = '/api/resources/small.txt'
  const taskset = await find('taskset')
  if (taskset) {
    const [before] = await affinity(taskset, coffer.child.pid ?? 0, '0')
    await load(url + file, coffer.headers, 1)
    const { rate, p99, failed } = await load(url + file, coffer.headers, seconds)
    lines.push({
      what: `GET ${file}, on one core`,
      ours: `${rate.toFixed(0)} per second, p99 ${p99} ms`,
      peer: `at least ${leastRate}, p99 at most 20 ms`,
      ratio: rate / leastRate,
      how: `server limited to one core by taskset; ${how}, ${failed} responses other than 200`,
    })
    await affinity(taskset, coffer.child.pid ?? 0, before ?? '0')
  }
  for (const path of [file, '/api/raw/small.txt', '/health']) {
    await load(url + path, coffer.headers, 1)
    const { rate, p99, failed } = await load(url + path, coffer.headers, seconds)
    lines.push({
      what: `GET ${path}`,
      ours: `${rate.toFixed(0)} per second, p99 ${p99} ms`,
      peer: '',
      how: `${how}, ${failed} responses other than 200`,
    })
  }
  await stop(coffer.child)
  return lines
}

/** Restricts all threads of a process to these processors. Returns the processors that they could use before. */
async function affinity(taskset: string, pid: number, processors: string): Promise<string[]> {
  const child = start(taskset, ['-acp', processors, String(pid)], 'pipe')
  const output = child.stdout ? await text(child.stdout) : ''
  return [...output.matchAll(/current affinity list: (\S+)/g)].map(([, list = '0']) => list)
}

async function load(url: string, headers: Readonly<Record<string, string>>, duration: number) {
  const program = fileURLToPath(import.meta.resolve('autocannon'))
  const headerArgs = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}=${value}`])
  const args = [program, '--json', '-n', '-c', `${connections}`, '-d', `${duration}`, ...headerArgs, url]
  const child = start(process.execPath, args, 'pipe')
  const { requests, latency, non2xx, errors } = JSON.parse(child.stdout ? await text(child.stdout) : '{}')
  return { rate: Number(requests.average), p99: Number(latency.p99), failed: Number(non2xx) + Number(errors) }
}
