import { deepEqual, equal, notEqual } from 'node:assert/strict'
import { answers, isDone, refuses, rulesOf, tells } from './rule.ts'

interface Listing {
  items: object[]
}

const ofWriteStatus = rulesOf('Status codes, Writing files')
const ofResourceStatus = rulesOf('Status codes, Resources')
const ofResources = rulesOf('Resources')
const ofChecksumStatus = rulesOf('Status codes, Checksums')

/** Bodies of uploads, and conditional requests. */
export const uploads = [
  ofWriteStatus('an upload to an existing folder is 409, even with override=true', async ({ ann, room }) => {
    const path = await room({ 'x/a.txt': 'text' })
    for (const query of ['', '?override=false', '?override=true']) {
      refuses(await ann.call('POST', `/api/resources${path}/x${query}`, { body: 'new' }), 409)
    }
    tells(await ann.call('GET', `/api/resources${path}/x/a.txt`), { content: 'text' })
  }),
  ofWriteStatus('the body is the file, whatever its content type is', async ({ ann, room }) => {
    const path = await room()
    for (const [n, type] of [
      'binary',
      'application/json',
      'x',
      '*/*',
      'text/plain; charset',
      '???',
    ].entries()) {
      const headers = { 'Content-Type': type }
      isDone(await ann.call('POST', `/api/resources${path}/${n}`, { body: '{}', headers }))
      isDone(await ann.call('PUT', `/api/resources${path}/${n}`, { body: '{}', headers }))
      equal((await ann.call('GET', `/api/raw${path}/${n}`)).text, '{}')
    }
  }),
  ofResourceStatus('a form without a boundary is 400 and creates nothing', async ({ ann, room }) => {
    const path = await room()
    for (const type of [
      'multipart/form-data',
      'multipart/form-data; boundary=',
      'Multipart/Form-Data; x=y',
    ]) {
      const headers = { 'Content-Type': type }
      for (const name of ['', 'a.txt', 'new/a.txt']) {
        refuses(await ann.call('POST', `/api/resources${path}/${name}`, { body: '--b--', headers }), 400)
      }
    }
    deepEqual((await ann.call('GET', `/api/resources${path}/`)).json<Listing>().items, [])
  }),
  ofResources('a form uploads its files into the folder, as curl -F does', async ({ ann, room }) => {
    const path = await room()
    const body =
      '--b\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\ntext\r\n--b--\r\n'
    const headers = { 'Content-Type': 'multipart/form-data; boundary=b' }
    isDone(await ann.call('POST', `/api/resources${path}/`, { body, headers }))
    tells(await ann.call('GET', `/api/resources${path}/a.txt`), { content: 'text' })
  }),
  ofResources('a form upload returns the ETag of its file and respects If-Match', async ({ ann, room }) => {
    const path = await room({ 'a.txt': 'old' })
    const url = `/api/resources${path}/a.txt`
    const { etag } = (await ann.call('GET', url)).headers
    const form = (text: string, match = etag ?? '') => ({
      body: `--b\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n${text}\r\n--b--\r\n`,
      headers: { 'Content-Type': 'multipart/form-data; boundary=b', 'If-Match': match },
    })
    const first = await ann.call('POST', `${url}?override=true`, form('first'))
    isDone(first)
    equal(first.headers.etag, (await ann.call('GET', url)).headers.etag)
    for (const address of [url, `/api/resources${path}/`]) {
      refuses(await ann.call('POST', `${address}?override=true`, form('second')), 412)
    }
    isDone(await ann.call('POST', `/api/resources${path}/?override=true`, form('third', first.headers.etag)))
    tells(await ann.call('GET', url), { content: 'third' })
  }),
  ofChecksumStatus('a client with the current file gets 304; a failed precondition is 412', async (place) => {
    const path = await place.room({ 'a.txt': 'text' })
    for (const call of ['resources', 'raw']) {
      const get = (headers: Record<string, string>) =>
        place.ann.call('GET', `/api/${call}${path}/a.txt`, { headers })
      const etag = String((await get({})).headers.etag)
      const [old, late] = ['Thu, 01 Jan 2004 00:00:00 GMT', 'Fri, 01 Jan 2100 00:00:00 GMT']
      const fresh = await get({ 'If-None-Match': `"other", ${etag}` })
      answers(fresh, 304)
      equal(fresh.headers.etag, etag)
      equal(fresh.bytes.length, 0)
      answers(await get({ 'If-None-Match': '"other"' }), 200)
      answers(await get({ 'If-Match': etag }), 200)
      answers(await get({ 'If-Match': '*' }), 200)
      refuses(await get({ 'If-Match': '"other"' }), 412)
      refuses(await get({ 'If-Unmodified-Since': old }), 412)
      answers(await get({ 'If-Unmodified-Since': late }), 200)
      answers(await get({ 'If-Match': etag, 'If-Unmodified-Since': old }), 200)
      refuses(await get({ 'If-Match': '"other"', 'If-None-Match': etag }), 412)
    }
  }),
  ofResourceStatus(
    'two editors cannot overwrite each other: If-Match with an old etag is 412',
    async (place) => {
      const room = await place.room({ 'a.txt': 'old' })
      const path = `/api/resources${room}/a.txt`
      const etag = String((await place.ann.call('GET', path)).headers.etag)
      const saved = await place.ann.call('PUT', path, { body: 'first', headers: { 'If-Match': etag } })
      isDone(saved)
      notEqual(saved.headers.etag, etag)
      refuses(await place.ann.call('PUT', path, { body: 'second', headers: { 'If-Match': etag } }), 412)
      const upload = { body: 'third', headers: { 'If-Match': etag } }
      refuses(await place.ann.call('POST', `${path}?override=true`, upload), 412)
      const since = { 'If-Unmodified-Since': 'Thu, 01 Jan 2004 00:00:00 GMT' }
      refuses(await place.ann.call('PUT', path, { body: 'fourth', headers: since }), 412)
      tells(await place.ann.call('GET', path), { content: 'first' })
    },
  ),
]
