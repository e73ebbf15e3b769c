import { constants, gunzipSync, inflateRawSync } from 'node:zlib'
import t from 'tap'
import { createGzipParts } from './content-coding.ts'

t.test('each part of a compressed answer can be read when it arrives, and all parts are one file', (t) => {
  const gzip = createGzipParts()
  const texts = ['the first entries, ', 'ö'.repeat(100_000), 'the end']
  let sent = Buffer.alloc(0)
  texts.forEach((text, at) => {
    sent = Buffer.concat([sent, gzip(Buffer.from(text), at === texts.length - 1)])
    const read = gunzipSync(sent, { finishFlush: constants.Z_SYNC_FLUSH })
    t.equal(read.toString(), texts.slice(0, at + 1).join(''))
  })
  t.equal(gunzipSync(sent).toString(), texts.join(''), 'with the right checksum and size')
  // Ends with the last block of deflate, and so after the first file of several.
  t.equal(inflateRawSync(sent.subarray(10)).toString(), texts.join(''))
  t.end()
})
