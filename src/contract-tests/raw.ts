import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { answers, refuses, rulesOf } from './rule.ts'

const ofDownloads = rulesOf('Raw content and archives, Downloads and archives')
const ofRawContent = rulesOf('Raw content and archives')
const ofRawStatus = rulesOf('Status codes, Raw content and archives')

/** The bytes of one file. */
export const raw = [
  ofDownloads('a file is an attachment under its own name, unless inline=true', async ({ ann, room }) => {
    const path = await room({ '%C3%A4%20b.txt': 'text' })
    const url = `/api/raw${path}/%C3%A4%20b.txt`
    const reply = await ann.call('GET', url)
    answers(reply, 200)
    equal(reply.text, 'text')
    match(String(reply.headers['content-disposition']), /^attachment;.*filename\*=utf-8''%C3%A4%20b\.txt/i)
    for (const query of ['?inline=false', '?inline=1', '?inline=']) {
      match(String((await ann.call('GET', url + query)).headers['content-disposition']), /^attachment/)
    }
    match(String((await ann.call('GET', `${url}?inline=true`)).headers['content-disposition']), /^inline/)
  }),
  ofRawContent(
    'a file cannot act in the origin of Coffer: sandbox, no scripts, no content sniffing',
    async ({ ann, room }) => {
      const path = await room({ 'a.html': '<script>alert(1)</script>', 'a.svg': '<svg/>' })
      for (const name of ['a.html', 'a.svg']) {
        const { headers } = await ann.call('GET', `/api/raw${path}/${name}?inline=true`)
        const policy = String(headers['content-security-policy'])
        match(policy, /(^|; *)sandbox(;|$)/)
        match(policy, /default-src 'none'/)
        ok(!/script-src|allow-scripts/.test(policy))
        equal(headers['x-content-type-options'], 'nosniff')
      }
    },
  ),
  ofRawContent('HEAD returns the headers of GET without the body', async ({ ann, room }) => {
    const path = await room({ 'a.txt': 'text' })
    const got = await ann.call('GET', `/api/raw${path}/a.txt`)
    const head = await ann.call('HEAD', `/api/raw${path}/a.txt`)
    answers(head, 200)
    equal(head.bytes.length, 0)
    for (const name of [
      'content-length',
      'content-type',
      'etag',
      'last-modified',
      'accept-ranges',
    ] as const) {
      ok(head.headers[name], name)
      equal(head.headers[name], got.headers[name])
    }
  }),
  ofRawContent(
    'a valid range is 206, an unsatisfiable one is 416, an invalid one is ignored',
    async ({ ann, room }) => {
      const path = await room({ 'a.txt': '0123456789' })
      const get = (Range: string) => ann.call('GET', `/api/raw${path}/a.txt`, { headers: { Range } })
      for (const [range, part, said] of [
        ['bytes=0-3', '0123', 'bytes 0-3/10'],
        ['bytes=4-', '456789', 'bytes 4-9/10'],
        ['bytes=-2', '89', 'bytes 8-9/10'],
        ['bytes=8-99', '89', 'bytes 8-9/10'],
      ] as const) {
        const reply = await get(range)
        answers(reply, 206)
        equal(reply.text, part)
        equal(reply.headers['content-range'], said)
      }
      const beyond = await get('bytes=10-')
      refuses(beyond, 416)
      equal(beyond.headers['content-range'], 'bytes */10')
      for (const none of ['bytes=3-1', 'lines=1-2', 'bytes=', 'bytes=a-b']) answers(await get(none), 200)
    },
  ),
  ofRawContent('several ranges are sent as multipart', async ({ ann, room }) => {
    const path = await room({ 'a.txt': '0123456789' })
    const headers = { Range: 'bytes=0-1,5-6' }
    const reply = await ann.call('GET', `/api/raw${path}/a.txt`, { headers })
    answers(reply, 206)
    const [, boundary = ''] =
      /^multipart\/byteranges; boundary=(\S+)$/.exec(reply.headers['content-type'] ?? '') ?? []
    ok(boundary)
    equal(Number(reply.headers['content-length']), reply.bytes.length)
    const parts = reply.text.split(`--${boundary}`).slice(1, -1)
    deepEqual(
      parts.map((part) => part.split('\r\n\r\n')[1]?.trim()),
      ['01', '56'],
    )
  }),
  ofRawContent(
    'a client with the current file gets 304: ETag, If-None-Match, If-Modified-Since, If-Range',
    async ({ ann, room }) => {
      const path = await room({ 'a.txt': '0123456789' })
      const get = (headers: Record<string, string>) => ann.call('GET', `/api/raw${path}/a.txt`, { headers })
      const { headers } = await get({})
      const etag = String(headers.etag)
      const modified = String(headers['last-modified'])
      answers(await get({ 'If-None-Match': etag }), 304)
      answers(await get({ 'If-None-Match': '"other"' }), 200)
      answers(await get({ 'If-Modified-Since': modified }), 304)
      answers(await get({ 'If-Modified-Since': 'Thu, 01 Jan 2004 00:00:00 GMT' }), 200)
      answers(await get({ Range: 'bytes=0-1', 'If-Range': etag }), 206)
      answers(await get({ Range: 'bytes=0-1', 'If-Range': '"other"' }), 200)
    },
  ),
  ofRawStatus(
    'without the permission to download it is 403; a missing file is 404',
    async ({ ann, guest, room }) => {
      const path = await room({ 'a.txt': 'text' })
      refuses(await guest.call('GET', `/api/raw${path}/a.txt`), 403)
      refuses(await guest.call('GET', `/api/raw${path}/`), 403)
      refuses(await ann.call('GET', `/api/raw${path}/missing`), 404)
    },
  ),
]
