import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { answers, refuses, rulesOf, tells } from './rule.ts'

const ofChecksums = rulesOf('Resources, Checksums')
const ofDetails = rulesOf('Resources, Previews and details')
const ofFiles = rulesOf('Resources, Listings and files')

/** Details of files that are not in listings. */
export const details = [
  ofChecksums('a checksum is returned under its algorithm, without the content', async ({ ann, room }) => {
    const path = await room({ 'a.txt': 'abc' })
    const sums = {
      md5: '900150983cd24fb0d6963f7d28e17f72',
      sha1: 'a9993e364706816aba3e25717850c26c9cd0d89d',
      sha256: 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    }
    for (const [algorithm, sum] of Object.entries(sums)) {
      const reply = await ann.call('GET', `/api/resources${path}/a.txt?checksum=${algorithm}`)
      tells(reply, { name: 'a.txt', checksums: { [algorithm]: sum } })
      ok(!('content' in reply.json<object>()))
    }
    const long = (await ann.call('GET', `/api/resources${path}/a.txt?checksum=sha512`)).json<{
      checksums: object
    }>()
    match(JSON.stringify(long.checksums), /"sha512":"ddaf35a193617aba[0-9a-f]{112}"/)
    refuses(await ann.call('GET', `/api/resources${path}/a.txt?checksum=crc32`), 400)
    tells(await ann.call('GET', `/api/resources${path}/a.txt?checksum=`), { content: 'abc' })
    tells(await ann.call('GET', `/api/resources${path}/?checksum=md5`), { kind: 'listing' })
    refuses(await ann.call('GET', `/api/resources${path}/?checksum=crc32`), 400)
  }),
  ofDetails('a whole tree is returned as a flat list', async ({ ann, room }) => {
    const path = await room({ 'x/y/a.txt': 'text', 'b.txt': '' })
    const reply = await ann.call('GET', `/api/resources/recursive${path}/`)
    answers(reply, 200)
    const found = reply.json<{ path: string; name: string; size: number; isDir: boolean }[]>()
    deepEqual(found.map(({ name, isDir }) => `${name} ${isDir}`).sort(), [
      'a.txt false',
      'b.txt false',
      'x true',
      'y true',
    ])
    refuses(await ann.call('GET', `/api/resources/recursive${path}/b.txt`), 400)
  }),
  ofDetails(
    'usage returns the size and the used bytes of the disk; zeros for a file',
    async ({ ann, room }) => {
      const path = await room({ 'a.txt': '' })
      const { total, used } = (await ann.call('GET', `/api/usage${path}/`)).json<{
        total: number
        used: number
      }>()
      ok(total > 0 && used >= 0 && used <= total)
      tells(await ann.call('GET', `/api/usage${path}/a.txt`), { total: 0, used: 0 })
      refuses(await ann.call('GET', `/api/usage${path}/missing/`), 404)
    },
  ),
  ofFiles('subtitles are found beside a video and returned as WebVTT', async ({ ann, room }) => {
    const srt = '1\r\n00:00:01,500 --> 00:00:02,000\r\nHello\r\n'
    const path = await room({ 'film.mp4': '', 'film.en.srt': srt, 'a.txt': 'text' })
    const subtitles = [`${path}/film.en.srt`]
    tells(await ann.call('GET', `/api/resources${path}/film.mp4`), { subtitles })
    tells(await ann.call('GET', `/api/resources${path}/film.mp4?checksum=md5`), {
      subtitles,
      checksums: { md5: 'd41d8cd98f00b204e9800998ecf8427e' },
    })
    const reply = await ann.call('GET', `/api/subtitle${path}/film.en.srt?inline=true`)
    answers(reply, 200)
    match(reply.headers['content-type'] ?? '', /^text\/vtt/)
    match(reply.text, /^WEBVTT\n[\s\S]*00:00:01\.500 --> 00:00:02\.000\nHello/)
    equal((await ann.call('GET', `/api/subtitle${path}/a.txt`)).status, 400)
  }),
]
