import { createHash } from 'node:crypto'
import { truncateSync, writeFileSync } from 'node:fs'
import t from 'tap'
import { start } from '#src/testing/start.ts'
import { toWebVtt } from './subtitles.ts'

t.test('returns checksums of all four algorithms in lower-case hex', async (t) => {
  const { as } = await start(t, {
    tree: { 'a.txt': 'hello', docs: {} },
    people: { nodl: { perm: { download: false, modify: false } } },
  })
  const call = await as('admin')
  for (const kind of ['md5', 'sha1', 'sha256', 'sha512']) {
    const file = (await call('GET', `/api/resources/a.txt?checksum=${kind}`)).json()
    t.strictSame(file.checksums, { [kind]: createHash(kind).update('hello').digest('hex') })
    t.notOk('content' in file, 'the text is not included')
  }
  t.equal((await call('GET', '/api/resources/a.txt?checksum=crc32')).statusCode, 400)
  t.equal(
    (await call('GET', '/api/resources/docs?checksum=md5')).json().kind,
    'listing',
    'ignored for a folder',
  )
  const nodl = await as('nodl')
  t.equal((await nodl('GET', '/api/resources/a.txt?checksum=md5')).statusCode, 403)
})

t.test('returns the size and the used space of the disk, and zeros for a file', async (t) => {
  const { as } = await start(t, { tree: { 'a.txt': 'hello' } })
  const call = await as('admin')
  const { total, used } = (await call('GET', '/api/usage/')).json()
  t.ok(total > used && used > 0)
  t.strictSame((await call('GET', '/api/usage/a.txt')).json(), { total: 0, used: 0 })
  t.equal((await call('GET', '/api/usage/none')).statusCode, 404)
})

t.test(
  'lists the subtitles of a video beside it and in subtitle folders, except those that rules deny',
  async (t) => {
    const tree = {
      'movie.mkv': '',
      'movie.srt': '',
      'movie.en.vtt': '',
      'movie.private.srt': '',
      'other.srt': '',
      Subs: { 'en.srt': '', movie: { 'de.ass': '' } },
      subtitles: { 'fr.ssa': '' },
    }
    const rules = ['/movie.private.srt', '/subtitles'].map((path) => ({
      allow: false,
      path,
      regex: false,
      regexp: null,
    }))
    const { as } = await start(t, { tree, people: { ann: { rules } } })
    const all = (await (await as('admin'))('GET', '/api/resources/movie.mkv')).json().subtitles
    t.strictSame(all, [
      '/movie.en.vtt',
      '/Subs/en.srt',
      '/movie.srt',
      '/movie.private.srt',
      '/Subs/movie/de.ass',
      '/subtitles/fr.ssa',
    ])
    const item = (await (await as('ann'))('GET', '/api/resources/'))
      .json()
      .items.find((one: { type: string }) => one.type === 'video')
    t.strictSame(
      item.subtitles,
      ['/movie.en.vtt', '/movie.srt'],
      'a listing includes only those beside the video',
    )
    const anns = (await (await as('ann'))('GET', '/api/resources/movie.mkv')).json().subtitles
    t.strictSame(anns, ['/movie.en.vtt', '/Subs/en.srt', '/movie.srt', '/Subs/movie/de.ass'])
  },
)

t.test(
  'sorts subtitles by language: that of the user first, then files without one, then others',
  async (t) => {
    const tree = { 'film.mp4': '', 'film.de.vtt': '', 'film.srt': '', 'film.fre.srt': '' }
    const { as } = await start(t, {
      tree,
      people: { en: { locale: 'en' }, de: { locale: 'de' }, any: { locale: '' } },
    })
    const first = async (name: string, accepted = '') => {
      const headers = { 'accept-language': accepted }
      return (await (await as(name))('GET', '/api/resources/film.mp4', { headers })).json().subtitles
    }
    t.strictSame(await first('en', 'de'), ['/film.srt', '/film.de.vtt', '/film.fre.srt'])
    t.strictSame(await first('de', 'en'), ['/film.de.vtt', '/film.srt', '/film.fre.srt'])
    t.strictSame(await first('any', 'fr-CA, en'), ['/film.fre.srt', '/film.srt', '/film.de.vtt'])
  },
)

t.test('returns subtitles of every format as WebVTT, and rejects other files', async (t) => {
  const srt = '1\r\n00:00:01,500 --> 00:00:02,000\r\n<i>Hi</i> <font color="red">A & B</font>\r\n'
  const ass = '[Events]\nFormat: Layer, Start, End, Text\nDialogue: 0,0:00:01.50,0:00:02.00,{\\b1}Hi,\\Nyou\n'
  const tree = { 'a.srt': srt, 'a.ass': ass, 'a.vtt': 'WEBVTT\n', 'a.txt': 'no', docs: {} }
  const { as, root } = await start(t, { tree, people: { nodl: { perm: { download: false } } } })
  const call = await as('admin')
  const get = async (name: string) => (await call('GET', `/api/subtitle/${name}?inline=true`)).body
  t.equal(await get('a.srt'), 'WEBVTT\n\n00:00:01.500 --> 00:00:02.000\n<i>Hi</i> A &amp; B\n')
  t.equal(await get('a.ass'), 'WEBVTT\n\n00:00:01.500 --> 00:00:02.000\nHi,\nyou\n')
  t.equal(await get('a.vtt'), 'WEBVTT\n')
  for (const name of ['a.txt', 'docs', 'docs/']) {
    t.equal((await call('GET', `/api/subtitle/${name}`)).statusCode, 400, name)
  }
  writeFileSync(`${root}/big.srt`, '')
  truncateSync(`${root}/big.srt`, 2 * 1024 * 1024 + 1)
  t.equal((await call('GET', '/api/subtitle/big.srt')).statusCode, 400, 'subtitle files are never that large')
  t.equal((await (await as('nodl'))('GET', '/api/subtitle/a.srt')).statusCode, 403)
})

t.test('reads old subtitles in other encodings', async (t) => {
  const cue = '1\n00:00:01,0 --> 00:00:02,0\ncafé\n'
  const expected = 'WEBVTT\n\n00:00:01.000 --> 00:00:02.000\ncafé\n'
  t.equal(await toWebVtt('a.srt', Buffer.from(cue, 'latin1')), expected)
  t.equal(await toWebVtt('a.srt', Buffer.from(`\ufeff${cue}`, 'utf16le')), expected)
  t.equal(await toWebVtt('A.SRT', Buffer.from(cue)), expected)
})
