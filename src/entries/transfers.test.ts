import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import t from 'tap'
import { defaultLimits } from '#src/config/options/limits.ts'
import { createQuotas } from '#src/core/concurrency/quotas.ts'
import { unconditional } from '#src/core/problem.ts'
import { isTemporary, rootPath } from '#src/files/paths/user-path.ts'
import type { TreeResult } from '#src/files/tree-walk/tree-tasks.ts'
import { limitTreeWorkers } from '#src/files/trees/tree-context.ts'
import { hostileNames } from '#src/testing/names.ts'
import { start } from '#src/testing/start.ts'
import { until } from '#src/testing/wire.ts'

const encode = (path: string) => path.split('/').map(encodeURIComponent).join('/')
const patch = (from: string, to: string, rest = '') =>
  `/api/resources${encode(from)}?destination=${encodeURIComponent(encode(to))}${rest}`

async function open(t: import('tap').Test, people = {}) {
  const tree = { 'a.txt': 'A', 'b.txt': 'B', docs: { 'x.txt': 'X', sub: { 'y.txt': 'Y' } }, empty: {} }
  const server = await start(t, { tree, people })
  const read = (path: string) => readFileSync(`${server.root}${path}`, 'utf8')
  const leftovers = () =>
    readdirSync(server.root, { recursive: true }).filter((name) => isTemporary(String(name)))
  return { ...server, admin: await server.as('admin'), read, leftovers }
}

t.test('deleting removes a file, an empty folder and a folder with its content', async (t) => {
  const { admin, root, leftovers } = await open(t)
  for (const path of ['/a.txt', '/empty/', '/docs']) {
    t.equal((await admin('DELETE', `/api/resources${path}`)).statusCode, 200, path)
    t.notOk(existsSync(root + path), path)
  }
  t.equal((await admin('DELETE', '/api/resources/a.txt')).statusCode, 404, 'a missing file is a 404')
  t.strictSame(leftovers(), [])
})

t.test(
  'the root of the scope cannot be deleted, renamed or copied, however its path is written',
  async (t) => {
    const { admin, read } = await open(t)
    for (const url of ['/api/resources', '/api/resources/', '/api/resources//', '/api/resources/docs/..']) {
      t.equal((await admin('DELETE', url)).statusCode, 403, url)
    }
    for (const action of ['copy', 'rename']) {
      t.equal((await admin('PATCH', patch('/', '/new', `&action=${action}`))).statusCode, 403)
      t.equal((await admin('PATCH', patch('/a.txt', '/', `&action=${action}`))).statusCode, 403)
    }
    t.equal(read('/docs/sub/y.txt'), 'Y')
  },
)

t.test('renaming moves files and whole folders, and creates missing parent folders', async (t) => {
  const { admin, read, root } = await open(t)
  t.equal((await admin('PATCH', patch('/a.txt', '/new/deep/c.txt', '&action=rename'))).statusCode, 200)
  t.equal((await admin('PATCH', patch('/docs', '/new/docs2', '&action=rename'))).statusCode, 200)
  t.equal(read('/new/deep/c.txt'), 'A')
  t.equal(read('/new/docs2/sub/y.txt'), 'Y')
  t.notOk(existsSync(`${root}/a.txt`) || existsSync(`${root}/docs`))
})

t.test('copying keeps times, and gives files and folders no wider modes than new files', async (t) => {
  const { admin, read, root, leftovers } = await open(t)
  t.equal((await admin('PATCH', patch('/docs', '/copy', '&action=copy'))).statusCode, 200)
  t.equal(read('/copy/sub/y.txt'), 'Y')
  t.equal(read('/docs/sub/y.txt'), 'Y')
  const [before, after] = ['/docs/x.txt', '/copy/x.txt'].map((path) => lstatSync(root + path))
  t.match(after, { mode: (before?.mode ?? 0) & ~0o007, size: 1 })
  t.equal(Math.round((after?.mtimeMs ?? 0) / 1000), Math.round((before?.mtimeMs ?? 1) / 1000))
  t.strictSame(leftovers(), [])
})

for (const action of ['copy', 'rename']) {
  t.test(`a ${action} to an existing path is refused, replaces a file, or uses a free name`, async (t) => {
    const { admin, read } = await open(t)
    t.equal((await admin('PATCH', patch('/a.txt', '/b.txt', `&action=${action}`))).statusCode, 409)
    t.equal(read('/b.txt'), 'B', 'a refused request changes nothing')
    const renamed = await admin('PATCH', patch('/a.txt', '/b.txt', `&action=${action}&rename=true`))
    t.equal(renamed.statusCode, 200)
    t.equal(read('/b(1).txt'), 'A')
    t.equal(
      (await admin('PATCH', patch('/b(1).txt', '/b.txt', `&action=${action}&override=true`))).statusCode,
      200,
    )
    t.equal(read('/b.txt'), 'A')
    const folder = await admin('PATCH', patch('/docs', '/empty', `&action=${action}&override=true`))
    t.equal(folder.statusCode, 409, 'folders are never merged or replaced')
    t.equal(read('/docs/x.txt'), 'X')
  })

  t.test(`rejects a ${action} of a folder into itself, also through a symbolic link`, async (t) => {
    const { admin, root, read } = await open(t)
    symlinkSync('docs/sub', `${root}/link`)
    for (const to of ['/docs/new', '/docs/sub/new', '/link/new']) {
      t.equal((await admin('PATCH', patch('/docs', to, `&action=${action}`))).statusCode, 400, to)
    }
    const onto = await admin('PATCH', patch('/a.txt', '/a.txt', `&action=${action}`))
    t.equal(onto.statusCode, 409)
    t.equal(read('/docs/sub/y.txt'), 'Y')
  })

  t.test(`rejects a ${action} that a rule denies, at the source, at the target or inside`, async (t) => {
    const rule = (path: string, allow = false) => ({ allow, path, regex: false, regexp: null })
    const { as, root } = await open(t, {
      inside: { rules: [rule('/docs/sub')] },
      target: { rules: [rule('/out/sub')] },
      source: { rules: [rule('/docs')] },
    })
    for (const [name, to] of [
      ['inside', '/out'],
      ['target', '/out'],
      ['source', '/out'],
    ] as const) {
      const call = await as(name)
      t.equal((await call('PATCH', patch('/docs', to, `&action=${action}`))).statusCode, 403, name)
      t.notOk(existsSync(root + to), `${name}: nothing was created`)
      t.equal(readFileSync(`${root}/docs/sub/y.txt`, 'utf8'), 'Y', `${name}: nothing was removed`)
    }
  })

  t.test(`a ${action} keeps names with special characters unchanged`, async (t) => {
    const { admin, root } = await open(t)
    for (const name of hostileNames) {
      writeFileSync(`${root}/src-${name}`.slice(0, root.length + 250), name)
      const reply = await admin(
        'PATCH',
        patch(`/src-${name}`.slice(0, 250), `/to/${name}`, `&action=${action}`),
      )
      t.equal(reply.statusCode, 200, `${name}: ${reply.body}`)
    }
    t.strictSame(readdirSync(`${root}/to`).sort(), [...hostileNames].sort())
  })
}

t.test('a denied entry inside a folder prevents deleting the folder', async (t) => {
  const rules = [{ allow: false, path: '/docs/sub', regex: false, regexp: null }]
  const { as, read } = await open(t, { ann: { rules } })
  const ann = await as('ann')
  t.equal((await ann('DELETE', '/api/resources/docs')).statusCode, 403)
  t.equal(read('/docs/x.txt') + read('/docs/sub/y.txt'), 'XY')
})

t.test('deleting or renaming a symbolic link affects the link; copying one copies its target', async (t) => {
  const { admin, root, read, base } = await open(t)
  writeFileSync(`${base}/outside.txt`, 'secret')
  symlinkSync('../outside.txt', `${root}/leak`)
  symlinkSync('docs', `${root}/docs-link`)
  t.equal((await admin('PATCH', patch('/leak', '/copied', '&action=copy'))).statusCode, 403)
  t.equal((await admin('PATCH', patch('/docs-link', '/real', '&action=copy'))).statusCode, 200)
  t.ok(lstatSync(`${root}/real`).isDirectory())
  t.equal((await admin('PATCH', patch('/leak', '/leak2', '&action=rename'))).statusCode, 200)
  t.equal((await admin('DELETE', '/api/resources/leak2')).statusCode, 200)
  t.equal((await admin('DELETE', '/api/resources/docs-link/')).statusCode, 200)
  t.equal(readFileSync(`${base}/outside.txt`, 'utf8'), 'secret')
  t.equal(read('/docs/x.txt'), 'X')
})

t.test(
  'decodes the destination of a copy twice, because clients of File Browser encode it twice',
  async (t) => {
    const { admin, read } = await open(t)
    const cases: [sent: string, name: string][] = [
      ['%2Frenamed%2520%25C3%25BCn%25C3%25AF.txt', '/renamed ünï.txt'],
      ['%2F50%2525%2520%2526%2520more%252B1%2520%25232.txt', '/50% & more+1 #2.txt'],
      ['%2Fit%27s%2520(a)%2520%255Bb%255D%2520~%25C3%259F%253F.txt', "/it's (a) [b] ~ß?.txt"],
      ['%252Fonce%2520more.txt', '/once more.txt'],
      ['/plain+name+of+a+script.txt', '/plain name of a script.txt'],
      ['%2Fone%2Bplus.txt', '/one+plus.txt'],
      ['%2Fanother%252Bplus.txt', '/another+plus.txt'],
      ['%2Fwhat?%20now.txt', '/what? now.txt'],
      ['/50%25%20off.txt', '/50% off.txt'],
    ]
    for (const [sent, name] of cases) {
      const url = `/api/resources/a.txt?action=copy&destination=${sent}`
      t.equal((await admin('PATCH', url)).statusCode, 200, sent)
      t.equal(read(name), 'A', name)
    }
    const broken = '/api/resources/a.txt?action=copy&destination=/%C3.txt'
    t.equal((await admin('PATCH', broken)).statusCode, 400)
  },
)

t.test('rejects a missing or unknown action, source or destination', async (t) => {
  const { admin } = await open(t)
  const status = async (url: string) => (await admin('PATCH', url)).statusCode
  t.equal(await status('/api/resources/a.txt?destination=/z'), 400)
  t.equal(await status('/api/resources/a.txt?action=move&destination=/z'), 400)
  t.equal(await status('/api/resources/a.txt?action=copy'), 400)
  t.equal(await status('/api/resources/a.txt?action=copy&destination=/z&destination=/y'), 400)
  t.equal(await status(patch('/none', '/z', '&action=copy')), 404)
  t.equal(await status(patch('/none', '/z', '&action=rename')), 404)
  t.equal(await status(patch('/a.txt', '/z\u0000', '&action=copy')), 400)
})

t.test('a copy that the end of the server interrupts is removed by the next start', async (t) => {
  const { as, root, base, close } = await start(t)
  for (let n = 0; n < 10_000; n++) {
    if (n % 200 === 0) mkdirSync(`${root}/docs/${n}`, { recursive: true })
    writeFileSync(`${root}/docs/${n - (n % 200)}/${n}.txt`, 'x')
  }
  const admin = await as('admin')
  const left = () => readdirSync(root).filter(isTemporary)
  const reply = admin('PATCH', patch('/docs', '/copy', '&action=copy'))
  await until(() => left().some((name) => readdirSync(`${root}/${name}`).length > 1))
  await close()
  t.ok((await reply).statusCode >= 500)
  t.equal(left().length, 1, 'nothing could remove it any more')
  await start(t, { base })
  t.strictSame(readdirSync(root), ['docs'])
})

t.test('a user who copies much leaves worker threads for other users', async (t) => {
  const started: string[] = []
  const endings: (() => void)[] = []
  const run = (task: { kind: string }) =>
    new Promise<TreeResult>((resolve) => {
      started.push(task.kind)
      endings.push(() => resolve({}))
    })
  const semaphore = createQuotas({ ...defaultLimits(), openFiles: 100 }, Date.now).trees
  const [mine, theirs] = ['a', 'b'].map((owner) => limitTreeWorkers({ run }, semaphore)(owner))
  const remove = { kind: 'remove', address: '/nowhere' } as const
  const all = Array.from({ length: 10 }, () => mine?.inTurn(unconditional, (run) => run(remove)))
  const check = { kind: 'check', address: '/nowhere', path: rootPath, rules: [] } as const
  all.push(theirs?.inTurn(unconditional, (run) => run(check)))
  await setImmediate()
  t.strictSame(started, ['remove', 'remove', 'remove', 'check'])
  while (started.length < 11 || endings.length > 0) {
    endings.shift()?.()
    await setImmediate()
  }
  t.equal((await Promise.all(all)).length, 11)
})
