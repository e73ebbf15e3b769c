import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import t from 'tap'
import { createEventStream } from './event-stream.ts'

t.test('a client that reads too slowly gets one loss instead of the events that it has missed', async (t) => {
  // The response has no connection, so that everything waits.
  const out = new ServerResponse(new IncomingMessage(new Socket()))
  const stream = createEventStream(out)
  const names = [`${'n'.repeat(200)}.txt`]
  for (let n = 0; n < 10_000; n++) stream.send('change', { folder: '/docs', names })
  t.ok(out.writableLength < 200_000, `${out.writableLength} bytes wait`)
  const waiting = out.writableLength
  stream.reportLost()
  t.equal(out.writableLength, waiting, 'not before the client has read the rest')
  stream.abort()
})
