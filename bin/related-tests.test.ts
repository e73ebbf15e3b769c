// Tests which tests run first for a change: `npm test -- --changed` and `npm run mutations` use this order.
import t from 'tap'
import { testsOf } from '../scripts/test/import-graph.ts'

t.test('a test of the same subject is among the first for a change, wherever it is', async (t) => {
  const related: Record<string, string> = {
    'src/operations/undo.ts': 'src/operations/undo.test.ts',
    'src/server/every-request.ts': 'src/server/bodies/bounds.test.ts',
    'src/contract/history/audit.ts': 'src/audit/audit.routes.test.ts',
    'src/contract/history/kept.ts': 'src/kept/trash.test.ts',
    'web/api/client.ts': 'web/features/login/login-page.test.ts',
    'web/shared/undo/history.ts': 'web/features/files/undo.test.ts',
  }
  for (const [file, test] of Object.entries(related)) {
    const first = testsOf([file]).slice(0, 20)
    t.ok(
      first.some((each) => each.file === test),
      `${file}: ${first.map((each) => each.file).join(' ')}`,
    )
  }
})

t.test('each related test occurs once, and a test without a relation does not', async (t) => {
  const files = testsOf(['src/operations/undo.ts', 'src/operations/undo.test.ts']).map(({ file }) => file)
  t.equal(files.length, new Set(files).size)
  const ofPage = testsOf(['web/ui/progress.ts']).map(({ file }) => file)
  t.ok(ofPage.includes('web/ui/button.test.ts'))
  t.notOk(ofPage.includes('src/audit/audit.test.ts'), 'a test of the server')
})
