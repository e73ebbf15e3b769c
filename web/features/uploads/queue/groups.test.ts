import t from 'tap'
import { createGroups, rowsOf } from './groups.ts'
import type { UploadGroup, UploadJob } from './uploads-state.ts'

let id = 0
const job = (path: string, group: UploadGroup | undefined): UploadJob => ({
  ...{ id: ++id, path, group, size: 1, sent: 0 },
  ...{ inPieces: false, status: 'waiting', code: undefined },
})

t.test('uploads of one folder are one line, which shows its files while it is open', async (t) => {
  const groupOf = createGroups('/docs/')
  const paths = ['a.txt', 'trip/', 'trip/plan.txt', 'b.txt', 'trip/day 1/c.txt', 'alone/']
  const jobs = paths.map((path) => job(`/docs/${path}`, groupOf(path)))
  const shown = (open: ReadonlySet<number>) =>
    rowsOf(jobs, open).map((row) => ('job' in row ? row.job.path : `${row.jobs.length} in ${row.group.path}`))
  t.same(shown(new Set()), ['/docs/a.txt', '3 in /docs/trip/', '/docs/b.txt', '/docs/alone/'])
  const trip = groupOf('trip/x')?.id ?? 0
  t.same(shown(new Set([trip])).slice(1, 5), [
    '3 in /docs/trip/',
    '/docs/trip/',
    '/docs/trip/plan.txt',
    '/docs/trip/day 1/c.txt',
  ])
  t.not(createGroups('/docs/')('trip/x')?.id, trip, 'the same folder again is a group of its own')
})
