import { lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { TrashList, Version } from '#contract/history/kept.ts'
import type { OperationView } from '#contract/history/operations.ts'
import { isLong } from '#src/testing/long.ts'
import { password, serveKilled, signIn } from '#src/testing/program.ts'
import { exchange } from '#src/testing/wire.ts'

type Ask = (method: string, url: string, body?: string) => ReturnType<typeof exchange>
type Request = [method: string, url: string, body?: string]

const move = (from: string, to: string, action = 'rename'): Request => [
  'PATCH',
  `/api/resources/${from}?destination=${encodeURIComponent(`/${to}`)}&action=${action}&override=true`,
]
const undoOf = (id: unknown): Request => ['POST', `/api/operations/${id}/undo`]

/** Undoes what a request has changed. */
async function undoing(ask: Ask, ...request: Request): Promise<Request> {
  return undoOf((await ask(...request)).headers['x-operation'])
}

async function restoring(ask: Ask, path: string): Promise<Request> {
  await ask('DELETE', `/api/resources/${path}`)
  const { items } = JSON.parse((await ask('GET', '/api/trash?limit=1')).body) as TrashList
  return ['POST', `/api/trash/${items[0]?.id}/restore`]
}

async function restoringVersion(ask: Ask): Promise<Request> {
  await ask('PUT', '/api/resources/a.txt', 'NEW')
  const versions = JSON.parse((await ask('GET', '/api/versions/a.txt')).body) as Version[]
  return ['POST', `/api/versions/a.txt?version=${versions[0]?.id}`]
}

/** Kinds of changes: the name, and what prepares the request. `npm run faults` also does others. */
const kinds: [name: string, prepare: (ask: Ask) => Request | Promise<Request>][] = [
  ['saving over a file', () => ['PUT', '/api/resources/a.txt', 'NEW']],
  ['uploading a file to new folders', () => ['POST', '/api/resources/new/er/c.txt', 'NEW']],
  ['creating folders', () => ['POST', '/api/resources/new/er/']],
  ['deleting a file', () => ['DELETE', '/api/resources/a.txt']],
  ['deleting several entries', () => ['POST', '/api/delete/', '{"paths":["a.txt","docs"]}']],
  ['moving a file over another', () => move('a.txt', 'b.txt')],
  ['moving a file to a new folder', () => move('a.txt', 'new/a.txt')],
  ['moving a folder', () => move('docs', 'moved')],
  ['copying a folder', () => move('docs', 'copy', 'copy')],
  ['undoing a deletion', (ask) => undoing(ask, 'DELETE', '/api/resources/docs')],
  ['undoing a move over a file', (ask) => undoing(ask, ...move('a.txt', 'b.txt'))],
  ['restoring a deleted file', (ask) => restoring(ask, 'a.txt')],
  ['restoring an old content', restoringVersion],
]

interface KeptStore {
  base: string
  root: string
}

/** Puts the same files into the served folder as before, with contents that were never there. */
function plant({ root }: KeptStore, round: number): void {
  for (const name of readdirSync(root)) {
    if (!name.startsWith('.coffer-kept')) rmSync(join(root, name), { recursive: true })
  }
  writeFileSync(join(root, 'a.txt'), `A ${round}`)
  writeFileSync(join(root, 'b.txt'), `B ${round}`)
  mkdirSync(join(root, 'docs/sub'), { recursive: true })
  writeFileSync(join(root, 'docs/sub/x.txt'), `X ${round}`)
}

/** The entries below a folder without the kept ones, with contents. Folders end with a slash. */
function treeOf({ root }: KeptStore): string[] {
  const entries = readdirSync(root, { recursive: true, withFileTypes: true })
  return entries
    .filter(({ name, parentPath }) => !`${parentPath}/${name}`.includes('/.coffer-kept'))
    .map((entry) => {
      const path = join(entry.parentPath, entry.name)
      const shown = path.slice(root.length)
      return entry.isDirectory() ? `${shown}/` : `${shown}: ${readFileSync(path, 'utf8')}`
    })
    .sort()
}

/** The files in the served folder, in the trash and among the versions: their inodes and contents. */
function everyFile({ base, root }: KeptStore): { inode: number; text: string }[] {
  return [root, `${root}.coffer.d/kept`, join(base, 'root/.coffer-kept')].flatMap((folder) => {
    try {
      lstatSync(folder)
    } catch {
      return []
    }
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.name.endsWith('.json'))
      .map(({ parentPath, name }) => join(parentPath, name))
      .filter((path) => folder !== root || !path.includes('/.coffer-kept'))
      .map((path) => ({ inode: lstatSync(path).ino, text: readFileSync(path, 'utf8') }))
  })
}

/** Without the number of the round. */
const plain = (tree: readonly string[]) => tree.map((line) => line.replace(/ \d+$/, ''))
const filesOf = (tree: readonly string[]) => tree.filter((line) => !line.endsWith('/'))
const equal = (one: readonly string[], other: readonly string[]) => one.join('\n') === other.join('\n')

/** Starts the program, and signs in if there is no session yet. */
async function open(t: Test, { base, root }: KeptStore, known?: string) {
  const { port, child, ended } = await serveKilled(t, base, root, '--password', password)
  const token = known ?? (await signIn(port))
  const ask: Ask = (method, url, body) => {
    const json = url.startsWith('/api/delete') && { 'content-type': 'application/json' }
    const headers = { 'x-auth': token, ...json }
    return exchange(port, method, url, { headers, ...(body !== undefined && { body }) })
  }
  const last = async () =>
    (JSON.parse((await ask('GET', '/api/operations?limit=1')).body) as OperationView[])[0]
  return { ask, last, child, ended, token }
}

/** One change that was interrupted, or not. */
interface Attempt {
  before: string[]
  /** The whole result, without the numbers of the round. */
  after: string[]
  /** The texts of all files before. */
  texts: string[]
  operation: OperationView | undefined
  about: string
}

/** Checks what is on the disk after a restart. Returns whether something of the change was done. */
function checkDisk(t: Test, store: KeptStore, { before, after, texts, operation, about }: Attempt): boolean {
  const names = readdirSync(store.root)
  t.strictSame(
    names.filter((each) => each.startsWith('.coffer-part')),
    [],
    `${about}: no temporary file is left`,
  )
  const now = treeOf(store)
  const isWhole = equal(plain(now), after)
  const isDone = isWhole || !equal(filesOf(now), filesOf(before))
  const possible = new Set([...plain(before), ...after])
  const foreign = plain(now).filter((line) => !possible.has(line))
  t.strictSame(foreign, [], `${about}: every file is where it was or where it should be`)
  const files = everyFile(store)
  t.equal(new Set(files.map(({ inode }) => inode)).size, files.length, `${about}: no file is there twice`)
  const found = new Set(files.map(({ text }) => text))
  t.strictSame(
    texts.filter((text) => !found.has(text)),
    [],
    `${about}: no content is lost`,
  )
  if (isDone) t.equal(operation?.state, 'done', `${about}: ${now}`)
  else t.match(operation?.state ?? 'failed', /^failed$/, `${about}: ${now}`)
  return isDone
}

// In `npm test` every third call, each kind of change from another one on.
const step = isLong ? 1 : 3

for (const [index, [name, prepare]] of kinds.entries()) {
  t.test(
    `a server that is killed while ${name} loses nothing, and the next start records how it ended`,
    async (t) => {
      const base = t.testdir({ root: {} })
      const store = { base, root: join(base, 'root') }
      const armed = join(base, 'armed')
      let server = await open(t, store)
      /** Does the change, killed before its nth change of a folder; 0: not killed. */
      const attempt = async (n: number) => {
        plant(store, n)
        const request = await prepare(server.ask)
        const earlier = await server.last()
        const [before, texts] = [treeOf(store), everyFile(store).map(({ text }) => text)]
        if (n > 0) writeFileSync(armed, String(n))
        const reply = await server.ask(...request).catch(() => undefined)
        rmSync(armed, { force: true })
        if (reply) t.equal(reply.status, 200, reply.body)
        else {
          await server.ended
          server = await open(t, store, server.token)
        }
        const last = await server.last()
        const operation = last?.id === earlier?.id ? undefined : last
        return { before, texts, operation, about: `call ${n}`, isKilled: reply === undefined }
      }
      const whole = await attempt(0)
      const after = plain(treeOf(store))
      for (let n = 0, now = whole; n === 0 || now.isKilled; ) {
        if (checkDisk(t, store, { ...now, after })) {
          const undone = await server.ask(...undoOf(now.operation?.id))
          t.equal(undone.status, 200, `call ${n}: ${undone.body}`)
          t.strictSame(treeOf(store), now.before, `call ${n}: everything is as before`)
        }
        n += n === 0 ? 1 + (index % step) : step
        now = await attempt(n)
      }
      server.child.kill('SIGKILL')
      await server.ended
    },
  )
}
