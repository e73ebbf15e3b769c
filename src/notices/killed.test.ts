import t from 'tap'
import { isSigned, receiveHooks } from '#src/testing/hook-receiver.ts'
import { password, serve, signIn } from '#src/testing/program.ts'
import { exchange, until } from '#src/testing/wire.ts'

t.test('a killed server delivers what waits after its next start, with the same id', async (t) => {
  const root = `${t.testdir({ root: {} })}/root`
  const receiver = await receiveHooks(t, () => {})
  const first = await serve(t, root, '--password', password, '--webhook-allow', '127.0.0.1')
  const headers = { 'x-auth': await signIn(first.port), 'content-type': 'application/json' }
  const body = JSON.stringify({ url: receiver.url, enabled: true })
  const set = JSON.parse((await exchange(first.port, 'PUT', '/api/webhook', { headers, body })).body)
  await exchange(first.port, 'POST', '/api/webhook/test', { headers: { 'x-auth': headers['x-auth'] } })
  await until(() => receiver.hooks.length === 1)
  first.child.kill('SIGKILL')
  await first.ended
  receiver.answer = (response) => response.writeHead(204).end()
  await serve(t, root, '--webhook-allow', '127.0.0.1')
  await until(() => receiver.hooks.length === 2)
  const [before, after] = receiver.hooks
  t.equal(after?.headers['webhook-id'], before?.headers['webhook-id'])
  t.ok(after && isSigned(after, set.secret))
})
