import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { Rule } from '#contract/users.ts'
import { type FoldingDisk, mountFolding } from '#src/testing/folding-disk.ts'
import { serve, signIn } from '#src/testing/program.ts'
import { password, start } from '#src/testing/start.ts'
import { exchange } from '#src/testing/wire.ts'
import { zipEntries } from './unpack.ts'
import { canaries, type Folder, plant } from './world.ts'

const all = { create: true, rename: true, modify: true, delete: true, share: true, download: true }
const deny = (path: string): Rule => ({ allow: false, path, regex: false, regexp: null })
const allow = (path: string): Rule => ({ ...deny(path), allow: true })
const denyMatch = (raw: string): Rule => ({ ...deny(''), regex: true, regexp: { raw } })

/** The files on the disk. Alice may reach everything except what `rules` deny. */
const files: Folder = {
  'Secret.txt': canaries.rule,
  'Free.txt': 'free',
  Private: { 'inside.txt': canaries.rule, Open: { 'x.txt': 'open' } },
  'movie.mkv': 'film',
  'Movie.srt': `1\n00:00:00,000 --> 00:00:01,000\n${canaries.rule}\n`,
  'pay roll.key': canaries.rule,
  Photo: { 'a.txt': 'a' },
}
const rules = [
  deny('/SECRET.txt'),
  deny('/private'),
  deny('/movie.SRT'),
  denyMatch('\\.KEY$'),
  deny('/later.TXT'),
]

/** Starts the app on a disk that folds names. Returns undefined and skips the test if no such disk can be made. */
async function onDisk(t: Test, kind: FoldingDisk, own: readonly Rule[] = rules) {
  const root = mountFolding(t, kind)
  if (root === undefined) return undefined
  plant(join(root, 'home'), files)
  const people = { alice: { perm: all, scope: '/home', rules: [...own] } }
  const config = { root, createUserDir: true, signup: true, requestRate: Number.POSITIVE_INFINITY }
  const made = await start(t, { people, config })
  const alice = await made.as('alice')
  const admin = await made.as('admin')
  return { ...made, alice, admin, disk: root, home: join(root, 'home') }
}

const spellings = (name: string) => [
  name,
  name.toUpperCase(),
  name.toLowerCase(),
  name.replace(/[a-z]/gi, (letter, at: number) => (at % 2 ? letter.toUpperCase() : letter.toLowerCase())),
]

const hidden = ['/Secret.txt', '/Private', '/Private/inside.txt', '/Movie.srt', '/pay roll.key', '/Later.txt']
const encoded = (path: string) => path.split('/').map(encodeURIComponent).join('/')

for (const kind of ['exfat', 'ntfs'] as const) {
  t.test(
    `${kind}: a rule applies to every spelling of a path, by every call`,
    { timeout: 300_000 },
    async (t) => {
      const made = await onDisk(t, kind)
      if (!made) return
      const { alice, home, admin } = made
      const before = readdirSync(home, { recursive: true }).sort()
      const leaks: string[] = []
      const { hash } = (await alice('POST', '/api/share/')).json()
      for (const path of hidden.flatMap(spellings)) {
        const at = encoded(path)
        const asked: [string, string, object?][] = [
          ['GET', `/api/resources${at}`],
          ['GET', `/api/raw${at}`],
          ['HEAD', `/api/raw${at}`],
          ['GET', `/api/raw${at}?algo=zip`],
          ['GET', `/api/raw/?algo=zip&files=${encodeURIComponent(at)}`],
          ['GET', `/api/preview/thumb${at}`],
          ['GET', `/api/subtitle${at}`],
          ['GET', `/api/usage${at}`],
          ['GET', `/api/rights${at}`],
          ['GET', `/api/search${at}?query=`],
          ['GET', `/api/resources${at}?checksum=md5`],
          ['GET', `/api/public/share/${hash}${at}`],
          ['GET', `/api/public/dl/${hash}${at}`],
          ['POST', `/api/share${at}`],
          ['POST', `/api/resources${at}?override=true`, { payload: 'evil' }],
          ['POST', `/api/resources${at}/`],
          ['POST', `/api/resources${at}/new/deeper.txt`, { payload: 'evil' }],
          ['PUT', `/api/resources${at}`, { payload: 'evil' }],
          ['DELETE', `/api/resources${at}`],
          ['PATCH', `/api/resources${at}?action=copy&destination=/copied`],
          ['PATCH', `/api/resources${at}?action=rename&destination=/moved`],
          ['PATCH', `/api/resources/Free.txt?action=copy&destination=${at}&override=true`],
          ['PATCH', `/api/resources/Free.txt?action=rename&destination=${at}&override=true`],
          ['POST', `/api/tus${at}?override=true`, { headers: { 'upload-length': '4' } }],
        ]
        for (const [method, url, rest] of asked) {
          const { statusCode, body } = await alice(method, url, rest)
          const isRefused = [400, 403, 404, 409].includes(statusCode) && !body.includes(canaries.rule)
          if (!isRefused) leaks.push(`${method} ${url} is ${statusCode} ${body}`)
        }
      }
      t.strictSame(leaks, [])
      t.strictSame(readdirSync(home, { recursive: true }).sort(), before, 'nothing was created or removed')
      t.equal(readFileSync(join(home, 'Secret.txt'), 'utf8'), canaries.rule)
      t.equal(
        (await admin('GET', '/api/raw/HOME/sEcReT.txt')).body,
        canaries.rule,
        'the rules of alice do not apply to the administrator',
      )
    },
  )

  t.test(`${kind}: everything that walks through folders leaves out what rules deny`, async (t) => {
    const made = await onDisk(t, kind)
    if (!made) return
    const { alice } = made
    const names = (await alice('GET', '/api/resources/'))
      .json()
      .items.map(({ name }: { name: string }) => name)
    t.strictSame(names.map((name: string) => name.toLowerCase()).sort(), ['free.txt', 'movie.mkv', 'photo'])
    for (const url of ['/api/search/?query=', '/api/resources/recursive/']) {
      t.notMatch((await alice('GET', url)).body, /secret|private|inside|srt|key/i, url)
    }
    const zip = zipEntries((await alice('GET', '/api/raw/?algo=zip')).rawPayload)
    t.strictSame(
      zip.filter(({ name }) => /secret|private|inside|srt|key/i.test(name)),
      [],
    )
    t.notMatch((await alice('GET', '/api/resources/movie.MKV')).body, /srt/i)
    const upwards = await alice('PATCH', '/api/resources/Photo?action=rename&destination=/PRIVATE/Photo')
    t.equal(upwards.statusCode, 403)
  })

  t.test(`${kind}: all spellings of a name denote one file`, async (t) => {
    const made = await onDisk(t, kind)
    if (!made) return
    const { alice, home } = made
    const trueName = (typed: string) =>
      readdirSync(home).find((name) => name.toLowerCase() === typed.toLowerCase())
    const free = trueName('free.txt')
    for (const spelling of spellings('/Free.txt')) {
      const response = (await alice('GET', `/api/resources${spelling}`)).json()
      t.strictSame([response.path, response.name, response.content], [`/${free}`, free, 'free'], spelling)
    }
    const { etag } = (await alice('GET', '/api/resources/FREE.txt')).headers
    const saved = await alice('PUT', '/api/resources/free.TXT', {
      payload: 'saved',
      headers: { 'if-match': String(etag) },
    })
    t.equal(saved.statusCode, 200, saved.body)
    t.strictSame([trueName('free.txt'), readFileSync(join(home, 'Free.txt'), 'utf8')], [free, 'saved'])
    t.equal((await alice('POST', '/api/resources/FREE.TXT', { payload: 'x' })).statusCode, 409)
    t.equal((await alice('POST', '/api/resources/PHOTO', { payload: 'x' })).statusCode, 409)
    t.equal((await alice('POST', '/api/resources/PHOTO/')).statusCode, 200, 'the folder exists')
    const both = await Promise.all(
      ['/new.txt', '/NEW.txt', '/New.TXT'].map((path) =>
        alice('POST', `/api/resources${path}`, { payload: path }),
      ),
    )
    t.strictSame(both.map(({ statusCode }) => statusCode).sort(), [200, 409, 409])
    const onto = '/api/resources/Free.txt?action=copy&override=true&destination=/FREE.txt'
    t.equal((await alice('PATCH', onto)).statusCode, 400, 'a copy onto itself')
    const into = '/api/resources/Photo?action=rename&destination=/PHOTO/deeper'
    t.equal((await alice('PATCH', into)).statusCode, 400, 'a folder into itself')
    t.equal((await alice('DELETE', '/api/resources/nEw.TxT')).statusCode, 200)
    t.strictSame(
      readdirSync(home).filter((name) => /^new|part/i.test(name)),
      [],
    )
  })

  t.test(`${kind}: a rename may change only the case of a name`, async (t) => {
    const made = await onDisk(t, kind)
    if (!made) return
    const { alice, home } = made
    const move = (from: string, to: string) =>
      alice('PATCH', `/api/resources${from}?action=rename&destination=${to}`)
    const { hash } = (await alice('POST', '/api/share/Free.txt')).json()
    t.equal((await move('/fREE.txt', '/FREE.TXT')).statusCode, 200)
    t.equal((await move('/PHOTO', '/pHoTo')).statusCode, 200)
    const names = readdirSync(home)
    if (kind === 'exfat')
      t.ok(
        ['FREE.TXT', 'pHoTo'].every((name) => names.includes(name)),
        String(names),
      )
    t.equal(names.filter((name) => /^(free|photo)/i.test(name)).length, 2)
    t.equal((await made.call('GET', `/api/public/dl/${hash}`)).body, 'free', 'the share follows the file')
    t.equal((await move('/photo', '/PHOTO/x')).statusCode, 400)
    t.equal((await move('/photo', '/free.txt')).statusCode, 409)
  })

  t.test(`${kind}: a rule that allows has to spell the name as the folder lists it`, async (t) => {
    const made = await onDisk(t, kind, [deny('/'), allow('/photo'), allow('/Photo')])
    if (!made) return
    const { alice } = made
    for (const path of ['/photo/A.txt', '/PHOTO/a.txt', '/Photo/a.TXT']) {
      t.equal((await alice('GET', `/api/raw${path}`)).body, 'a', path)
    }
    t.equal((await alice('POST', '/api/resources/PHOTO/b.txt', { payload: 'b' })).statusCode, 200)
    t.equal((await alice('GET', '/api/raw/Free.txt')).statusCode, 403)
  })

  t.test(`${kind}: the name of a temporary file is reserved in every spelling`, async (t) => {
    const made = await onDisk(t, kind)
    if (!made) return
    const { alice, home } = made
    const headers = { 'upload-length': '8' }
    t.equal((await alice('POST', '/api/tus/Big.bin', { headers })).statusCode, 201)
    const [part = ''] = readdirSync(home).filter((name) => name.startsWith('.coffer-part-'))
    t.ok(part)
    for (const spelling of spellings(`/${part}`)) {
      for (const [method, url] of [
        ['GET', `/api/raw${spelling}`],
        ['DELETE', `/api/resources${spelling}`],
        ['PUT', `/api/resources${spelling}`],
        ['PATCH', `/api/resources${spelling}?action=rename&destination=/mine`],
      ] as const) {
        t.ok([403, 404].includes((await alice(method, url)).statusCode), `${method} ${url}`)
      }
    }
    const piece = { 'content-type': 'application/offset+octet-stream', 'upload-offset': '0' }
    const sent = await alice('PATCH', '/api/tus/Big.bin', { headers: piece, payload: 'contents' })
    t.equal(sent.statusCode, 204, sent.body)
    t.equal(readFileSync(join(home, 'big.BIN'), 'utf8'), 'contents')
  })

  t.test(`${kind}: two users never get the same home folder`, async (t) => {
    const made = await onDisk(t, kind)
    if (!made) return
    const { call, document, disk } = made
    await document.update((draft) => {
      Object.assign(draft.settings, { signup: true, createUserDir: true, userHomeBasePath: '/Users' })
    })
    mkdirSync(join(disk, 'Users', 'Dana'), { recursive: true })
    writeFileSync(join(disk, 'Users', 'Dana', 'diary.txt'), canaries.bob)
    const signUp = async (username: string) =>
      (await call('POST', '/api/signup', { payload: { username, password } })).statusCode
    t.equal(await signUp('bob'), 200)
    for (const name of ['dana', 'DANA', 'BOB']) t.equal(await signUp(name), 409, name)
    await document.update((draft) => {
      draft.settings.userHomeBasePath = '/uSERS'
    })
    for (const name of ['dAnA', 'carl', 'CARL']) {
      t.equal(await signUp(name), name === 'carl' ? 200 : 409, name)
    }
    t.equal(readdirSync(join(disk, 'Users')).length, 3)
  })
}

t.test(
  'two scopes that lead to one folder of the disk cannot be the home folders of two users',
  async (t) => {
    const made = await onDisk(t, 'ntfs')
    if (!made) return
    const { call, document, disk } = made
    symlinkSync('carl', join(disk, 'alias'))
    await document.update((draft) => {
      Object.assign(draft.settings, { signup: true, createUserDir: true, userHomeBasePath: '/' })
      for (const user of Object.values(draft.users)) if (user.username === 'alice') user.scope = '/alias'
    })
    const payload = { username: 'carl', password }
    t.equal((await call('POST', '/api/signup', { payload })).statusCode, 409)
    t.notOk(Object.values(document.data.users).some(({ username }) => username === 'carl'))
    t.equal(
      (await call('POST', '/api/signup', { payload: { ...payload, username: 'dora' } })).statusCode,
      200,
    )
  },
)

for (const kind of ['exfat', 'ntfs'] as const) {
  t.test(
    `${kind}: Coffer's own files cannot be reached, in any spelling`,
    { timeout: 300_000 },
    async (t) => {
      const disk = mountFolding(t, kind)
      if (disk === undefined) return
      const root = join(disk, 'Files')
      plant(root, { 'a.txt': 'a', Folder: { 'b.txt': 'b' } })
      const config = join(root, 'Coffer.yaml')
      writeFileSync(config, `password: ${password}\n`)
      const database = join(t.testdir({}), 'state.json')
      const own = ['--database', database, '--log', join(root, 'Folder', 'Coffer.log'), '--config', config]
      // The root is given in another spelling, so it differs from the paths of the files.
      const { port } = await serve(t, join(disk, 'FILES'), ...own)
      const headers = { 'x-auth': await signIn(port) }
      const ask = (method: string, path: string, body?: string) =>
        exchange(port, method, path, { headers, ...(body !== undefined && { body }) })
      t.equal((await ask('GET', '/api/raw/A.TXT')).body, 'a')
      const leaks: string[] = []
      for (const path of ['/Coffer.yaml', '/Folder/Coffer.log'].flatMap(spellings)) {
        for (const [method, url, body] of [
          ['GET', `/api/resources${path}`],
          ['GET', `/api/raw${path}`],
          ['GET', `/api/raw/?algo=zip&files=${encodeURIComponent(path)}`],
          ['PUT', `/api/resources${path}`, 'evil'],
          ['POST', `/api/resources${path}?override=true`, 'evil'],
          ['POST', `/api/resources${path}/`],
          ['POST', `/api/share${path}`],
          ['DELETE', `/api/resources${path}`],
          ['PATCH', `/api/resources${path}?action=copy&destination=/copy`],
          ['PATCH', `/api/resources${path}?action=rename&destination=/moved`],
          ['PATCH', `/api/resources/a.txt?action=copy&override=true&destination=${path}`],
          ['PATCH', `/api/resources/a.txt?action=rename&override=true&destination=${path}`],
        ] as const) {
          const response = await ask(method, url, body)
          if (![403, 404].includes(response.status))
            leaks.push(`${method} ${url} is ${response.status}: ${response.body}`)
        }
      }
      t.strictSame(leaks, [])
      for (const folder of ['/folder', '/FOLDER']) {
        t.equal(
          (await ask('DELETE', `/api/resources${folder}`)).status,
          403,
          'a folder that contains one of them',
        )
      }
      const whole = [await ask('GET', '/api/resources/'), await ask('GET', '/api/search/?query=coffer')]
      for (const { body } of [...whole, await ask('GET', '/api/raw/?algo=tar')])
        t.notMatch(body, /coffer\.(yaml|log)/i)
      t.match(readFileSync(config, 'utf8'), password)
    },
  )
}

t.test('an NTFS stream or a spelling that no folder lists opens nothing', async (t) => {
  const made = await onDisk(t, 'streams', [deny('/Secret.txt')])
  if (!made) return
  const { alice, home } = made
  writeFileSync(join(home, 'Free.txt:note'), 'of the stream')
  t.equal(readFileSync(join(home, 'Secret.txt:'), 'utf8'), canaries.rule, 'the disk ignores the colon')
  for (const path of [
    '/Secret.txt:',
    '/Secret.txt:x',
    '/Secret.txt::$DATA',
    '/Free.txt:note',
    '/Free.txt:',
  ]) {
    for (const url of [`/api/raw${path}`, `/api/resources${path}`]) {
      const { statusCode, body } = await alice('GET', url)
      t.ok([403, 404].includes(statusCode), `${url} is ${statusCode}`)
      t.notMatch(body, canaries.rule)
    }
    for (const [method, payload] of [
      ['PUT', 'evil'],
      ['POST', 'evil'],
      ['DELETE', undefined],
    ] as const) {
      const refused = await alice(method, `/api/resources${path}?override=true`, payload ? { payload } : {})
      t.ok(refused.statusCode >= 400, `${method} ${path} is ${refused.statusCode}`)
    }
  }
  t.equal(readFileSync(join(home, 'Secret.txt'), 'utf8'), canaries.rule)
  t.equal(readFileSync(join(home, 'Free.txt'), 'utf8'), 'free')
})
