import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import autocannon from 'autocannon'
import { find, output } from '../run.ts'
import { type Line, type Table, taskLine } from './line.ts'
import type { Verb } from './programs.ts'
import { served } from './served-files.ts'
import { requestFor, type Server } from './servers.ts'

const connections = 32
const seconds = { cold: 1, warm: 3 }
/** Different files, because the same file again and again would measure caches. */
const files = 1000

/** Many requests for small files at the same time, in random order. */
export const loadLines: readonly Line[] = [
  taskLine({
    what: `the bytes of one of ${files} small files (GET /api/raw), ${connections} connections`,
    unit: 'per second',
    task: {
      verb: 'raw',
      run: (server, table, temperature) => load(server, table, 'raw', seconds[temperature]),
    },
  }),
  taskLine({
    what: `the details of one of ${files} small files (GET /api/resources), ${connections} connections`,
    unit: 'per second',
    task: {
      verb: 'details',
      run: (server, table, temperature) => load(server, table, 'details', seconds[temperature]),
    },
  }),
]

/** Returns the requests per second. @throws when a response has a status other than 2xx. */
async function load(server: Server, { bench }: Table, verb: Verb, duration: number): Promise<number> {
  const requests = Array.from({ length: files }, (_, n) =>
    requestFor(server, verb, `${served.texts}/file-${n * 17}.txt`),
  )
  const paths = requests.map(({ path }) => path)
  const { port = 0, headers = {} } = requests[0] ?? {}
  const url = `http://127.0.0.1:${port}`
  const wrk = await find('wrk')
  if (wrk === undefined) return runAutocannon(url, { headers, paths, duration })
  const script = join(bench.folder, 'load.lua')
  const list = paths.map((path) => JSON.stringify(path)).join(',\n')
  await writeFile(
    script,
    `local paths = {${list}}\nrequest = function() return wrk.format("GET", paths[math.random(#paths)]) end\n`,
  )
  return runWrk(wrk, url, { headers, script, duration })
}

type Headers = Record<string, unknown>

async function runWrk(
  wrk: string,
  url: string,
  { headers, script, duration }: { headers: Headers; script: string; duration: number },
): Promise<number> {
  const fields = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`])
  const args = ['-t1', `-c${connections}`, `-d${duration}s`, '-s', script, ...fields, url]
  const printed = await output(wrk, args)
  const [failed] = /(Non-2xx|Socket errors).*/.exec(printed) ?? []
  if (failed) throw new Error(failed)
  return Number(/Requests\/sec:\s+([\d.]+)/.exec(printed)?.[1])
}

async function runAutocannon(
  url: string,
  { headers, paths, duration }: { headers: Headers; paths: readonly string[]; duration: number },
): Promise<number> {
  const { requests, non2xx, errors } = await autocannon({
    url,
    connections,
    duration,
    headers: headers as Record<string, string>,
    // Each connection asks in an order of its own.
    setupClient: (client) => client.setRequests(shuffled(paths).map((path) => ({ method: 'GET', path }))),
  })
  if (non2xx + errors > 0) throw new Error(`${non2xx} responses other than 2xx, ${errors} errors`)
  return requests.average
}

function shuffled(list: readonly string[]): string[] {
  return list
    .map((one) => [Math.random(), one] as const)
    .toSorted(([a], [b]) => a - b)
    .map(([, one]) => one)
}
