import t from 'tap'
import { createReadAhead } from './read-ahead.ts'

t.test('content is requested from the disk after a slow read, until reads are quick again', async (t) => {
  const readAhead = createReadAhead()
  const isRequested = () => {
    let isAsked = false
    readAhead.request({
      [Symbol.iterator]() {
        isAsked = true
        return [].values()
      },
    })
    return isAsked
  }
  t.notOk(isRequested(), 'the first reads show how slow the disk is')
  readAhead.measure(() => {
    for (const end = performance.now() + 1; performance.now() < end; );
  })
  t.ok(isRequested())
  for (let n = 0; n < 63; n++) readAhead.measure(() => {})
  t.ok(isRequested(), 'some quick reads may be those that were requested')
  // A busy processor may make a read look slow.
  for (let n = 0; n < 100_000 && isRequested(); n++) readAhead.measure(() => {})
  t.notOk(isRequested())
})

t.test('the result of a read and its error are passed on', async (t) => {
  const readAhead = createReadAhead()
  t.equal(
    readAhead.measure(() => 'content'),
    'content',
  )
  t.throws(() =>
    readAhead.measure(() => {
      throw new Error('the disk cannot read it')
    }),
  )
})
