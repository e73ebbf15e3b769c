import { fileURLToPath } from 'node:url'
import { find, output } from '../run.ts'
import type { RawRequest } from '../wire.ts'
import { type Line, taskLine } from './line.ts'
import { served } from './served-files.ts'
import { requestFor } from './servers.ts'

const connections = 32
const seconds = { cold: 1, warm: 3 }

/** Many requests for one small file at the same time. */
export const loadLines: readonly Line[] = [
  taskLine({
    what: `the bytes of a small file (GET /api/raw), ${connections} connections`,
    unit: 'per second',
    task: {
      verb: 'raw',
      run: (server, _, temperature) => load(requestFor(server, 'raw', served.small), seconds[temperature]),
    },
  }),
  taskLine({
    what: `the details of a small file (GET /api/resources), ${connections} connections`,
    unit: 'per second',
    task: {
      verb: 'details',
      run: (server, _, temperature) =>
        load(requestFor(server, 'details', served.small), seconds[temperature]),
    },
  }),
]

/** Returns the requests per second. @throws when a response has a status other than 2xx. */
async function load({ port, path, headers }: RawRequest, duration: number): Promise<number> {
  const url = `http://127.0.0.1:${port}${path}`
  const fields = Object.entries(headers ?? {})
  const wrk = await find('wrk')
  return wrk === undefined ? autocannon(url, fields, duration) : runWrk(wrk, url, fields, duration)
}

async function runWrk(
  wrk: string,
  url: string,
  fields: [string, unknown][],
  duration: number,
): Promise<number> {
  const headers = fields.flatMap(([name, value]) => ['-H', `${name}: ${value}`])
  const printed = await output(wrk, ['-t1', `-c${connections}`, `-d${duration}s`, ...headers, url])
  const [failed] = /(Non-2xx|Socket errors).*/.exec(printed) ?? []
  if (failed) throw new Error(failed)
  return Number(/Requests\/sec:\s+([\d.]+)/.exec(printed)?.[1])
}

async function autocannon(url: string, fields: [string, unknown][], duration: number): Promise<number> {
  const program = fileURLToPath(import.meta.resolve('autocannon'))
  const headers = fields.flatMap(([name, value]) => ['-H', `${name}=${value}`])
  const args = [program, '--json', '-n', '-c', `${connections}`, '-d', `${duration}`, ...headers, url]
  const { requests, non2xx, errors } = JSON.parse(await output(process.execPath, args))
  if (non2xx + errors > 0) throw new Error(`${non2xx} responses other than 2xx, ${errors} errors`)
  return Number(requests.average)
}
