import { mkdirSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import fc from 'fast-check'
import t from 'tap'
import { start } from '#src/testing/start.ts'
import { listen } from '#src/testing/wire.ts'
import { aSpelling, encodedSpelling, respell } from './arbitrary.ts'
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

// Few names, so that paths often collide.
const aPath = fc
  .array(fc.constantFrom('a', 'b', 'ab', 'c.txt'), { maxLength: 3 })
  .map((names) => `/${names.join('/')}`)

const anOperation = fc.oneof(
  fc.record({ kind: fc.constant('upload' as const), path: aPath, override: fc.boolean() }),
  fc.record({ kind: fc.constant('save' as const), path: aPath }),
  fc.record({ kind: fc.constant('folder' as const), path: aPath }),
  fc.record({ kind: fc.constant('delete' as const), path: aPath }),
  fc.record({
    kind: fc.constantFrom('copy' as const, 'rename' as const),
    path: aPath,
    to: aPath,
    override: fc.boolean(),
    free: fc.boolean(),
  }),
)
type Operation = typeof anOperation extends fc.Arbitrary<infer O> ? O : never

/**
 * Applies an operation to the model and returns the status (contract/README.md#status-codes,
 * contract/README.md#resources).
 */
function apply(disk: model.Folder, operation: Operation, text: string): number {
  const { kind, path } = operation
  // The path of the whole scope ends with a slash, so it denotes a folder.
  if (kind === 'folder' || (kind === 'upload' && path === '/')) return makeFolder(disk, path)
  if (kind === 'upload') return write(disk, path, { text, mayReplace: operation.override, ontoFolder: 409 })
  if (kind === 'save') return write(disk, path, { text, mayReplace: true, ontoFolder: 405 })
  if (kind === 'delete') return remove(disk, path)
  return transfer(disk, operation)
}

/** Whether an entry can be created at a path: every folder above it exists as a folder or is missing. */
const hasRoom = (disk: model.Folder, path: string): boolean => {
  for (let above = model.parentOf(path); ; above = model.parentOf(above)) {
    if (model.entryAt(disk, above)?.kind === 'file') return false
    if (above === '/') return true
  }
}

function write(
  disk: model.Folder,
  path: string,
  { text, mayReplace, ontoFolder }: { text: string; mayReplace: boolean; ontoFolder: number },
): number {
  const existing = model.entryAt(disk, path)
  if (existing?.kind === 'folder') return ontoFolder
  if (!hasRoom(disk, path) || (existing && !mayReplace)) return 409
  model.put(disk, path, model.file(text))
  return 200
}

function makeFolder(disk: model.Folder, path: string): number {
  const existing = model.entryAt(disk, path)
  if (existing?.kind === 'folder') return 200
  if (existing || !hasRoom(disk, path)) return 409
  model.put(disk, path, model.folder())
  return 200
}

function remove(disk: model.Folder, path: string): number {
  if (path === '/') return 403
  if (!model.entryAt(disk, path)) return 404
  model.removeEntry(disk, path)
  return 200
}

function transfer(disk: model.Folder, operation: Extract<Operation, { to: string }>): number {
  const { kind, path, to, override, free } = operation
  if (path === '/' || to === '/') return 403
  const entry = model.entryAt(disk, path)
  if (!entry) return 404
  if (kind === 'copy' && override && path === to) return 400
  if (!hasRoom(disk, to)) return 409
  const existing = model.entryAt(disk, to)
  const place = existing && free ? freeName(disk, to, existing) : to
  const status = refusal({
    from: { path, entry },
    to: { path: place, entry: model.entryAt(disk, place) },
    override,
  })
  if (status !== 200 || place === path) return status
  model.put(disk, place, model.copyOf(entry))
  if (kind === 'rename') model.removeEntry(disk, path)
  return 200
}

interface Placed<T> {
  path: string
  entry: T
}

function refusal(options: {
  from: Placed<model.Entry>
  to: Placed<model.Entry | undefined>
  override: boolean
}): number {
  const { from, to, override } = options
  if (to.entry && !override) return 409
  if (to.path === from.path) return 200
  if (model.isWithin(to.path, from.path)) return 400
  // Only a file can replace a file. A folder neither replaces an entry nor is replaced.
  return to.entry && !(to.entry.kind === 'file' && from.entry.kind === 'file') ? 409 : 200
}

function freeName(disk: model.Folder, to: string, { kind }: model.Entry): string {
  const [, stem = '', extension = ''] =
    /^(.+?)(\.[^./]*)?$/.exec(kind === 'file' ? model.nameOf(to) : '') ?? []
  const [first, last] = kind === 'file' ? [stem, extension] : [model.nameOf(to), '']
  for (let n = 1; ; n++) {
    const place = model.childOf(model.parentOf(to), `${first}(${n})${last}`)
    if (!model.entryAt(disk, place)) return place
  }
}

function call(operation: Operation, spelling: readonly number[], text: string) {
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
  const operations = fc.array(fc.tuple(anOperation, aSpelling), {
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
    numRuns: 60,
    includeErrorInReport: true,
    interruptAfterTimeLimit: 25_000,
  })
})
