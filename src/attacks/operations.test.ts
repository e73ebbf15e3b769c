import { mkdirSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import fc from 'fast-check'
import t from 'tap'
import { rounds } from '#src/testing/long.ts'
import { start } from '#src/testing/start.ts'
import { listen } from '#src/testing/wire.ts'
import { aSpelling, encodedSpelling, respell } from './arbitrary.ts'
import { aChangeAt, aPath, apply, type Change } from './changes.ts'
import * as model from './reference.ts'

const perm = { create: true, rename: true, modify: true, delete: true, share: true, download: true }
const { app, root, login } = await start(t, { people: { alice: { perm } } })
const port = await listen(app)
const token = await login('alice')
const agent = new Agent({ keepAlive: true })
t.teardown(() => agent.destroy())

async function ask(method: string, path: string, text = ''): Promise<{ status: number; said: string }> {
  const headers = { 'x-auth': token, ...(text && { 'content-length': Buffer.byteLength(text) }) }
  const outgoing = request({ host: '127.0.0.1', port, method, path, headers, agent })
  const incoming = await new Promise<import('node:http').IncomingMessage>((resolve, reject) => {
    outgoing.once('response', resolve).once('error', reject).end(text)
  })
  return { status: incoming.statusCode ?? 0, said: (await buffer(incoming)).toString() }
}

function call(operation: Change, spelling: readonly number[], text: string) {
  const { kind, path } = operation
  const address = `/api/resources${encodedSpelling(path, spelling)}`
  // A closing slash denotes a folder, so the path of a file is written without one.
  const plain = `/api/resources${path}`
  if (kind === 'upload') return ask('POST', `${plain}${operation.override ? '?override=true' : ''}`, text)
  if (kind === 'save') return ask('PUT', plain, text)
  if (kind === 'folder') return ask('POST', `${address}/`)
  if (kind === 'delete') return ask('DELETE', address)
  const { to, override, free } = operation
  const query = `action=${kind}&destination=${encodeURIComponent(respell(to, spelling))}`
  return ask('PATCH', `${address}?${query}${override ? '&override=true' : ''}${free ? '&rename=true' : ''}`)
}

function restore(): void {
  rmSync(root, { recursive: true, force: true })
  mkdirSync(root)
}

t.test('after any sequence of operations the disk is the same as the model', async () => {
  const operations = fc.array(fc.tuple(aChangeAt(aPath), aSpelling), {
    minLength: 1,
    maxLength: 40,
    size: 'max',
  })
  const property = fc.asyncProperty(operations, async (sequence) => {
    restore()
    const disk = model.folder()
    for (const [at, [operation, spelling]] of sequence.entries()) {
      const text = `written at ${at}`
      const response = await call(operation, spelling, text)
      const expected = apply(disk, operation, text)
      const [has, wants] = [model.linesOfDisk(root), model.linesOfModel(disk)].map((lines) =>
        lines.join('\n'),
      )
      if (response.status !== expected || has !== wants) {
        throw new Error(
          `${JSON.stringify(operation)} responds with ${response.status} ${response.said}, expected ${expected}; ` +
            `the disk has\n${has}\nexpected\n${wants}`,
        )
      }
    }
  })
  // A failure prints its seed. To repeat it, write that seed here.
  await fc.assert(property, {
    seed: 20_260_801,
    numRuns: rounds(60),
    includeErrorInReport: true,
  })
})
