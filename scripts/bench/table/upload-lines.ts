import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { piece } from '../files.ts'
import { output } from '../run.ts'
import { type RawRequest, upload } from '../wire.ts'
import { type Line, secondsOf, type Table, taskLine } from './line.ts'
import { served } from './served-files.ts'
import { requestFor, type Server } from './servers.ts'

const count = 1000
const bytes = 10 * 1024
const connections = 8
const small = piece.subarray(0, bytes)
/** The name of the large file. */
const large = 'new.bin'
const reference = 'the same writes without a server'
/** Below 1 MiB in a request, which most proxies accept. */
const inForm = 90
const formConnections = 3

/** The uploads: many small files, and one large file. */
export const uploadLines: readonly Line[] = [
  smallFilesLine(`upload of ${count} files of 10 KiB, ${connections} at once`, uploadMany),
  smallFilesLine(
    `upload of ${count} files of 10 KiB, ${connections} at once; to Coffer ${formConnections} requests with ${inForm} files`,
    (server, folder) =>
      server.program.paths.uploadForm ? uploadForms(server, folder) : uploadMany(server, folder),
  ),
  taskLine({
    what: 'upload of the large file',
    unit: 'GB/s',
    limits: ({ warm }) => [{ value: warm.dd ?? Number.NaN, of: 'warm', from: 'dd conv=fsync' }],
    task: {
      verb: 'upload',
      run: (server, table) =>
        inNewFolder(table, async (name, folder) => {
          const { size } = table.bench
          const call = requestFor(server, 'upload', `${name}/${large}`)
          const rate = await upload(call, size, piece)
          const arrived = (await stat(join(folder, large))).size
          if (arrived !== size) throw new Error(`only ${arrived} of ${size} bytes were stored`)
          return rate / 1e9
        }),
      references: (_, table) => ({ dd: () => inNewFolder(table, (_, folder) => copyLarge(table, folder)) }),
    },
  }),
]

function smallFilesLine(what: string, upload: (server: Server, folder: string) => Promise<void>): Line {
  return taskLine({
    what,
    unit: 'per second',
    limits: ({ warm }) => [
      { value: 0.9 * (warm[reference] ?? Number.NaN), of: 'warm', from: `0.9 × ${reference}` },
    ],
    task: {
      verb: 'upload',
      run: (server, table) =>
        inNewFolder(table, async (name, folder) => {
          const seconds = await secondsOf(() => upload(server, name))
          const sizes = await Promise.all(
            (await readdir(folder)).map((file) => stat(join(folder, file)).then(({ size }) => size)),
          )
          const arrived = sizes.filter((size) => size === bytes).length
          if (arrived !== count) throw new Error(`only ${arrived} of ${count} files were stored`)
          return count / seconds
        }),
      references: (_, table) => ({ [reference]: () => inNewFolder(table, flushedWrites) }),
    },
  })
}

let folders = 0

/**
 * Creates a folder for one run, so that each run creates new files. Small files stay until the end of the benchmark: ext4
 * does not use the inodes of files that were deleted within the last minutes, and searching for others would take most
 * of the time of the next runs.
 */
async function inNewFolder(
  { root }: Table,
  run: (name: string, folder: string) => Promise<number>,
): Promise<number> {
  const name = `${served.uploads}/${folders++}`
  const folder = join(root, name)
  await mkdir(folder)
  try {
    return await run(name, folder)
  } finally {
    await rm(join(folder, large), { force: true })
  }
}

function uploadMany(server: Server, folder: string): Promise<void> {
  return sendAll(connections, 1, (agent, number) =>
    send(requestFor(server, 'upload', `${folder}/${nameOf(number)}`), agent, small),
  )
}

function uploadForms(server: Server, folder: string): Promise<void> {
  return sendAll(formConnections, inForm, (agent, first) => {
    const numbers = Array.from({ length: Math.min(inForm, count - first) }, (_, n) => first + n)
    const call = requestFor(server, 'uploadForm', folder)
    const headers = { ...call.headers, 'Content-Type': 'multipart/form-data; boundary=form' }
    return send({ ...call, headers }, agent, formOf(numbers.map(nameOf)))
  })
}

/** Calls `work` for every `step`th file, on some connections at once. */
async function sendAll(
  connections: number,
  step: number,
  work: (agent: Agent, number: number) => Promise<void>,
): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const numbers = Array.from({ length: Math.ceil(count / step) }, (_, n) => n * step).values()
  // Each connection takes the next number that is left.
  const worker = async () => {
    for (const number of numbers) await work(agent, number)
  }
  try {
    await Promise.all(Array.from({ length: connections }, worker))
  } finally {
    agent.destroy()
  }
}

function nameOf(number: number): string {
  return `file-${number}.bin`
}

/** A form with a small file for each name. */
function formOf(names: readonly string[]): Buffer {
  const head = (name: string) =>
    `--form\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\n\r\n`
  const parts = names.flatMap((name) => [Buffer.from(head(name)), small, Buffer.from('\r\n')])
  return Buffer.concat([...parts, Buffer.from('--form--\r\n')])
}

/** Sends a request on a connection of `agent`, and reads the response. @throws unless its status is 2xx. */
export function send(
  { port, method, path, headers }: RawRequest,
  agent: Agent,
  body?: Buffer,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const sent = request(
      { host: '127.0.0.1', port, method, path, agent, headers: { ...headers } },
      (reply) => {
        const status = reply.statusCode ?? 0
        reply.resume().on('error', reject)
        reply.on('end', () =>
          status >= 200 && status < 300 ? resolve() : reject(new Error(`${method} ${path}: ${status}`)),
        )
      },
    )
    sent.on('error', reject)
    if (body) sent.setHeader('Content-Length', body.length)
    sent.end(body)
  })
}

async function flushedWrites(_: string, folder: string): Promise<number> {
  const program = fileURLToPath(new URL('../flushed-writes.ts', import.meta.url))
  const env = { ...process.env, UV_THREADPOOL_SIZE: String(connections) }
  const seconds = await output(process.execPath, [program, folder, String(count), String(bytes)], { env })
  return count / Number(seconds)
}

async function copyLarge({ root, bench }: Table, folder: string): Promise<number> {
  const args = [`if=${join(root, served.large)}`, `of=${join(folder, large)}`, 'bs=1M']
  return bench.size / 1e9 / (await secondsOf(() => output('dd', [...args, 'conv=fsync', 'status=none'])))
}
