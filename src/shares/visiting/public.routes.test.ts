import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { asPng, isNear, look, plain } from '#src/testing/pictures.ts'
import { type Person, start } from '#src/testing/start.ts'

const red = [200, 30, 30] as const
const srt = '1\n00:00:01,000 --> 00:00:02,000\nHello\n'
const picture = asPng(plain(400, 300, red))

const tree = {
  alice: {
    'beside.png': '',
    'beside.srt': srt,
    gallery: {
      'a.png': '',
      'film.mp4': 'film',
      'film.de.srt': srt,
      'notes.txt': 'no subtitles',
      Subs: { 'film.en.srt': srt },
      sub: { 'b.png': '' },
      barred: { 'c.png': '', 'c.srt': srt, 'c.mp4': 'film' },
    },
  },
}

const alice: Person = {
  scope: '/alice',
  perm: { create: true, rename: true, modify: true, delete: true, share: true, download: true },
  rules: [{ allow: false, regex: false, path: '/gallery/barred', regexp: null }],
}

/** A server with pictures and films, and functions to share and request them. */
async function world(t: Test, config: object = {}) {
  const made = await start(t, { tree, people: { alice }, config })
  const home = join(made.root, 'alice')
  for (const name of ['beside.png', 'gallery/a.png', 'gallery/sub/b.png', 'gallery/barred/c.png'])
    writeFileSync(join(home, name), picture)
  symlinkSync('../beside.png', join(home, 'gallery/out.png'))
  symlinkSync('../beside.srt', join(home, 'gallery/out.srt'))
  const own = await made.as('alice')
  const share = async (path: string, payload: object = {}) =>
    (await own('POST', `/api/share${path}`, { payload })).json<{ hash: string }>().hash
  const get = (url: string, headers: Record<string, string> = {}) => made.call('GET', url, { headers })
  return { ...made, home, own, share, get }
}

t.test('visitors get thumbnails of pictures in a shared folder', async (t) => {
  const { share, get } = await world(t)
  const folder = await share('/gallery')
  const file = await share('/gallery/a.png')
  for (const path of [
    `thumb/${folder}/a.png`,
    `thumb/${folder}/sub/b.png`,
    `thumb/${file}`,
    `thumb/${file}/a.png`,
  ]) {
    const reply = await get(`/api/public/preview/${path}`)
    t.match(
      reply,
      { statusCode: 200, headers: { 'content-type': 'image/webp', 'cache-control': /private/ } },
      path,
    )
    const { width, at } = await look(reply.rawPayload)
    t.equal(width, 256)
    t.ok(isNear(at(0.5, 0.5), red))
  }
  const etag = String((await get(`/api/public/preview/thumb/${folder}/a.png`)).headers.etag)
  t.equal((await get(`/api/public/preview/thumb/${folder}/a.png`, { 'if-none-match': etag })).statusCode, 304)
  const big = await get(`/api/public/preview/big/${folder}%2Fsub%2Fb.png`)
  t.equal((await look(big.rawPayload)).width, 400, 'the big preview, with an encoded slash')
  t.equal((await get(`/api/public/preview/thumb/${folder}`)).statusCode, 405, 'a folder has no preview')
})

t.test('returns the shared picture itself when thumbnails are disabled', async (t) => {
  const { share, get } = await world(t, { disableThumbnails: true })
  const reply = await get(`/api/public/preview/thumb/${await share('/gallery')}/a.png?inline=true`)
  t.ok(reply.rawPayload.equals(picture))
  t.match(reply.headers['content-security-policy'], /sandbox/)
})

t.test('visitors find and get the subtitles of a film in a shared folder', async (t) => {
  const { share, get } = await world(t)
  const folder = await share('/gallery')
  const film = (await get(`/api/public/share/${folder}/film.mp4`)).json()
  t.strictSame(
    film.subtitles,
    ['/Subs/film.en.srt', '/film.de.srt'],
    "subtitles in the visitor's language come first",
  )
  for (const path of film.subtitles) {
    const reply = await get(`/api/public/subtitle/${folder}${path}`)
    t.match(reply, {
      statusCode: 200,
      headers: { 'content-type': 'text/vtt; charset=utf-8' },
      body: /^WEBVTT[\s\S]*Hello/,
    })
  }
  t.equal((await get(`/api/public/subtitle/${folder}/notes.txt`)).statusCode, 400)
  const alone = await get(`/api/public/share/${await share('/gallery/film.mp4')}`)
  t.equal(alone.statusCode, 200)
  t.equal(alone.json().subtitles, undefined, 'a shared film has no subtitles from its folder')
})

t.test('the sort order that a visitor chooses applies only to that request', async (t) => {
  const { share, get, own } = await world(t)
  const folder = await share('/gallery')
  const names = async (url: string) =>
    (await get(url))
      .json<{ items: { name: string; isDir: boolean }[] }>()
      .items.flatMap((item) => (item.isDir ? [] : item.name))
  const sorted = ['a.png', 'film.de.srt', 'film.mp4', 'notes.txt']
  const plainly = (all: string[]) => all.filter((name) => sorted.includes(name))
  t.strictSame(plainly(await names(`/api/public/share/${folder}`)), sorted)
  t.strictSame(plainly(await names(`/api/public/share/${folder}?by=name&asc=true`)), sorted.toReversed())
  t.equal(plainly(await names(`/api/public/share/${folder}?by=size&asc=true`))[0], 'film.mp4')
  t.strictSame((await get(`/api/public/share/${folder}?by=size&asc=true`)).json().sorting, {
    by: 'size',
    asc: true,
  })
  t.strictSame((await own('GET', '/api/resources/')).json().sorting, { by: 'name', asc: false })
  for (const query of ['by=owner', 'by=size&asc=yes', 'by=__proto__'])
    t.equal((await get(`/api/public/share/${folder}?${query}`)).statusCode, 400, query)
})

/** The addresses of previews and subtitles for `path` in a share of `/gallery`. */
const showing = (link: string, path: string, query = '') => [
  `/api/public/preview/thumb/${link}${path}${query}`,
  `/api/public/preview/big/${link}${path}${query}`,
  `/api/public/subtitle/${link}${path.replace(/png$/, 'srt')}${query}`,
]

t.test(
  "previews and subtitles of a share stay inside the shared folder and follow the owner's rules",
  async (t) => {
    const { share, get } = await world(t)
    const link = await share('/gallery')
    const ways = [
      '/../beside.png',
      '/%2e%2e/beside.png',
      '/..%2fbeside.png',
      '/..%5cbeside.png',
      '/sub/../../beside.png',
    ]
    const barred = ['/out.png', '/barred/c.png', '/sub/../barred/c.png', '//barred//c.png', '/%62arred/c.png']
    for (const path of [...ways, ...barred]) {
      for (const url of showing(link, path)) {
        const reply = await get(url)
        t.ok([403, 404].includes(reply.statusCode), `${reply.statusCode} ${url}`)
        t.notMatch(reply.body, /WEBVTT|RIFF|alice/)
      }
    }
    const film = await get(`/api/public/share/${link}/barred/c.mp4`)
    t.equal(film.statusCode, 403)
    const file = await share('/gallery/a.png')
    const beside = await get(`/api/public/subtitle/${file}/film.de.srt`)
    t.equal(beside.statusCode, 400, 'in a share of a file, every path is that file')
  },
)

t.test('previews and subtitles of a share require its password', async (t) => {
  const { share, get, clock } = await world(t)
  const link = await share('/gallery', { password: 'open sesame' })
  const other = await share('/gallery/sub', { password: 'open sesame' })
  const unlock = async (hash: string) =>
    (await get(`/api/public/share/${hash}`, { 'x-share-password': 'open%20sesame' })).json<{
      token: string
    }>().token
  const [token, foreign] = [await unlock(link), await unlock(other)]
  for (const query of ['', '?token=', '?token=x.y', `?token=${foreign}`, `?token=${token}x`]) {
    for (const url of showing(link, '/a.png', query)) t.equal((await get(url)).statusCode, 401, url)
  }
  t.equal((await get(showing(link, '/a.png', `?token=${token}`)[0] ?? '')).statusCode, 200)
  t.equal((await get(`/api/public/subtitle/${link}/film.de.srt?token=${token}`)).statusCode, 200)
  clock.advance({ minutes: 61 })
  for (const url of showing(link, '/a.png', `?token=${token}`)) t.equal((await get(url)).statusCode, 401, url)
})

t.test('a long text is complete for users and for visitors, with a password too', async (t) => {
  const { share, get, own, home } = await world(t)
  const text = '"é😀\\\n'.repeat(100_000)
  writeFileSync(join(home, 'long.txt'), text)
  const open = await share('/long.txt')
  const locked = await share('/long.txt', { password: 'open sesame' })
  const headers = { 'x-share-password': 'open%20sesame' }
  const url = '/api/resources/long.txt'
  for (const reply of [
    await own('GET', url),
    await get(`/api/public/share/${open}`),
    await get(`/api/public/share/${locked}`, headers),
  ]) {
    t.equal(reply.headers['content-type'], 'application/json; charset=utf-8')
    t.equal(Number(reply.headers['content-length']), reply.rawPayload.length)
    t.ok(reply.json().content === text, 'the whole text')
  }
  t.type((await get(`/api/public/share/${locked}`, headers)).json().token, 'string')
  t.match((await own('GET', `${url}?checksum=md5`)).json(), { content: undefined, checksums: { md5: /./ } })
})

t.test('previews and subtitles end with the share and with the permissions of its owner', async (t) => {
  const { share, get, own, clock, document } = await world(t)
  const all = async (link: string) =>
    Promise.all(
      [...showing(link, '/a.png').slice(0, 2), `/api/public/subtitle/${link}/film.de.srt`].map(
        async (url) => (await get(url)).statusCode,
      ),
    )
  const [ended, brief, good] = [
    await share('/gallery'),
    await share('/gallery', { expires: 1, unit: 'hours' }),
    await share('/gallery/sub/..'),
  ]
  t.equal(good, ended, 'a second permanent share is the first one')
  t.strictSame(await all(ended), [200, 200, 200])
  t.strictSame(await all(brief), [200, 200, 200])
  t.equal((await own('DELETE', `/api/share/${ended}`)).statusCode, 200)
  t.strictSame(await all(ended), [404, 404, 404], 'also for cached previews')
  clock.advance({ minutes: 61 })
  t.strictSame(await all(brief), [404, 404, 404])
  const last = await share('/gallery')
  await document.update((draft) => {
    for (const user of Object.values(draft.users))
      if (user.username === 'alice') user.perm = { ...user.perm, download: false }
  })
  t.strictSame(await all(last), [403, 403, 403])
})
