import t from 'tap'
import { problems } from '#contract/problems.ts'
import { Problem, StartupProblem } from './problem.ts'

t.test('a problem contains its cause with the details filled in', async (t) => {
  const problem = new Problem('auth.limited', { seconds: 30 })
  t.equal(problem.message, 'too many attempts; try again in 30 s')
  t.equal(problem.status, 429)
  t.match(problem, { name: 'Problem', code: 'auth.limited', details: { seconds: 30 } })
})

t.test('a hostile name in a problem stays unchanged', async (t) => {
  for (const path of ['/{path}', '/$&$1', '/{seconds}', '/__proto__']) {
    t.equal(new Problem('path.exists', { path }).message, `${path} already exists`)
  }
})

t.test('a missing detail shows as a question mark, and is never read from the prototype', async (t) => {
  t.equal(new Problem('path.exists').message, '? already exists')
})

t.test('every problem of the catalogue has an HTTP error status', async (t) => {
  for (const [code, { status }] of Object.entries(problems)) {
    t.ok(status >= 400 && status < 600, code)
  }
})

t.test('a startup problem is not a problem of a request', async (t) => {
  const problem = new StartupProblem('Port 80 is in use.', { cause: new Error('EADDRINUSE') })
  t.match(problem, {
    name: 'StartupProblem',
    message: 'Port 80 is in use.',
    cause: { message: 'EADDRINUSE' },
  })
  t.notOk(problem instanceof Problem)
})
