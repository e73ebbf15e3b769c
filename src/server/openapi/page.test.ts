import t from 'tap'
import { start } from '#src/testing/start.ts'

t.test('serves the API documentation as a page, without sign-in', async (t) => {
  const { call } = await start(t)
  const reply = await call('GET', '/api/docs')
  t.equal(reply.statusCode, 200)
  t.match(reply.headers['content-type'], /^text\/html/)
  const { paths } = (await call('GET', '/api/openapi.json')).json() as { paths: Record<string, object> }
  for (const { operationId, summary } of Object.values(paths).flatMap(Object.values)) {
    t.ok(reply.body.includes(`<article id="${operationId}">`), operationId)
    t.ok(summary.length > 0)
  }
  t.notMatch(
    reply.body,
    /<script|\son\w+=|style="|https?:\/\/(?!files\.example\.com|hooks\.example\/)/,
    'no script, nothing from other sites',
  )
  t.match(reply.headers['content-security-policy'], /^default-src 'none'; style-src 'self'; img-src 'self';/)
})

t.test('each endpoint has an example command', async (t) => {
  const { call } = await start(t)
  const { body } = await call('GET', '/api/docs')
  const commands = [
    'curl -H &#34;X-Auth: $TOKEN&#34; &#34;$COFFER/api/resources/docs/report.txt&#34;',
    'curl -X PUT -H &#34;X-Auth: $TOKEN&#34; --data-binary @report.txt &#34;$COFFER/api/resources/docs/report.txt&#34;',
    'curl &#34;$COFFER/health&#34;',
  ]
  for (const command of commands) t.ok(body.includes(command), command)
})
