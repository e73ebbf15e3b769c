import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { tarNames, zipNames } from './archive-names.ts'
import type { Reply } from './client.ts'
import { answers, refuses, rulesOf } from './rule.ts'

const files = { 'dir/a.txt': 'a', 'dir/sub/b.txt': 'b', 'c%2C%20d.txt': 'c' }

function nameOf({ headers }: Reply): string {
  return decodeURIComponent(
    /filename\*=utf-8''(\S+)/i.exec(String(headers['content-disposition']))?.[1] ?? '',
  )
}

const ofDownloads = rulesOf('Raw content and archives, Downloads and archives')
const ofRawContent = rulesOf('Raw content and archives')
const ofRawStatus = rulesOf('Status codes, Raw content and archives')

/** Folders and selections as one archive. */
export const archives = [
  ofDownloads('a folder becomes a zip named after it, with that folder at the top', async (place) => {
    const path = await place.room(files)
    for (const query of ['', '?algo=zip', '?algo=', '?algo=true']) {
      const reply = await place.ann.call('GET', `/api/raw${path}/dir/${query}`)
      answers(reply, 200)
      equal(nameOf(reply), 'dir.zip')
      const names = zipNames(reply.bytes)
      deepEqual(names.filter((name) => !name.endsWith('/')).sort(), ['dir/a.txt', 'dir/sub/b.txt'])
    }
  }),
  ofDownloads('the query parameter files selects entries, each percent-encoded', async ({ ann, room }) => {
    const path = await room(files)
    const selected = ['dir/sub', 'c, d.txt'].map(encodeURIComponent).join(',')
    const reply = await ann.call('GET', `/api/raw${path}/?files=${encodeURIComponent(selected)}&algo=zip`)
    answers(reply, 200)
    match(nameOf(reply), /\.zip$/)
    const names = zipNames(reply.bytes).filter((name) => !name.endsWith('/'))
    ok(names.includes('c, d.txt'), names.join())
    ok(names.some((name) => name.endsWith('sub/b.txt')) && !names.some((name) => name.endsWith('a.txt')))
  }),
  ofRawContent('tar, targz, tarzst and tarbr contain the same entries', async ({ ann, room }) => {
    const path = await room(files)
    const kinds = {
      tar: { suffix: '.tar', open: (bytes: Buffer) => bytes },
      targz: { suffix: '.tar.gz', open: gunzipSync },
      tarzst: { suffix: '.tar.zst', open: zstdDecompressSync },
      tarbr: { suffix: '.tar.br', open: brotliDecompressSync },
    }
    for (const [algo, { suffix, open }] of Object.entries(kinds)) {
      const reply = await ann.call('GET', `/api/raw${path}/dir/?algo=${algo}`)
      answers(reply, 200)
      equal(nameOf(reply), `dir${suffix}`)
      const names = tarNames(open(reply.bytes)).filter((name) => !name.endsWith('/'))
      deepEqual(names.sort(), ['dir/a.txt', 'dir/sub/b.txt'], algo)
    }
  }),
  ofRawContent(
    'tarbz2, tarxz, tarlz4 and tarsz start with the magic bytes of their format',
    async ({ ann, room }) => {
      const path = await room(files)
      const kinds = {
        tarbz2: '425a68',
        tarxz: 'fd377a585a00',
        tarlz4: '04224d18',
        tarsz: 'ff060000734e61507059',
      }
      for (const [algo, magic] of Object.entries(kinds)) {
        const reply = await ann.call('GET', `/api/raw${path}/dir/?algo=${algo}`)
        answers(reply, 200)
        equal(nameOf(reply), `dir.${algo.replace('tar', 'tar.')}`)
        equal(reply.bytes.subarray(0, magic.length / 2).toString('hex'), magic, algo)
      }
    },
  ),
  ofRawStatus('an unknown format is 400, a selection of missing entries is 404', async ({ ann, room }) => {
    const path = await room(files)
    refuses(await ann.call('GET', `/api/raw${path}/dir/?algo=rar`), 400)
    refuses(await ann.call('GET', `/api/raw${path}/missing/?algo=zip`), 404)
    refuses(await ann.call('GET', `/api/raw${path}/?files=missing&algo=zip`), 404)
  }),
]
