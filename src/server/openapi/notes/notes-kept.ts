import type { kept } from '#contract/history/kept.ts'
import type { EndpointNote } from './note.ts'
import { busyErrors, diskErrors, downloadHeaders, writeErrors } from './note-parts.ts'

const item = 'q1Zy4v1JxjSB0T4Zk2cJ7Q'

/** Notes for the endpoints of the trash and of versions. */
export const keptNotes: Readonly<Record<keyof typeof kept, EndpointNote>> = {
  'GET /api/keeping/*': { name: 'keeping', errorCodes: diskErrors, example: { path: 'docs' } },
  'GET /api/trash': {
    name: 'listTrash',
    errorCodes: [...diskErrors],
    description:
      'Contains entries that were in the scope of the user and that the rules allow, whoever deleted them.',
    example: { query: { search: 'report' } },
  },
  'GET /api/trash/:id/raw': {
    name: 'downloadDeleted',
    response: 'bytes',
    errorCodes: [
      ...(['auth.forbidden', 'kept.unknown', 'path.folder', 'path.special', 'request.range'] as const),
      ...(['path.changed', ...diskErrors, ...busyErrors] as const),
    ],
    headers: downloadHeaders,
    description: 'A ticket for it has the path `/`.',
    example: { named: { id: item } },
  },
  'POST /api/trash/:id/restore': {
    name: 'restoreDeleted',
    errorCodes: ['auth.forbidden', 'kept.unknown', 'path.file', 'path.exists', ...writeErrors],
    description:
      'Makes missing folders. If the name is taken, the entry gets a free one, such as `report(1).txt`. Nothing is replaced. Needs ' +
      'access to the place where the entry was and to the place where it goes, with everything in it.',
    example: { named: { id: item }, query: { to: '/docs' } },
  },
  'DELETE /api/trash/:id': {
    name: 'deletePermanently',
    response: 'done',
    errorCodes: ['auth.forbidden', 'kept.unknown', ...diskErrors],
    example: { named: { id: item } },
  },
  'DELETE /api/trash': {
    name: 'emptyTrash',
    errorCodes: ['auth.forbidden', ...diskErrors],
    description: 'Leaves folders in which rules deny the user something.',
  },
  'GET /api/versions/*': {
    name: 'listVersions',
    errorCodes: ['path.folder', 'path.special', ...diskErrors],
    description:
      'Leaves out versions that were replaced at a path which the user may not read. Other calls do not know them either.',
    example: { path: 'docs/report.txt' },
  },
  'POST /api/versions/*': {
    name: 'restoreVersion',
    response: 'done',
    errorCodes: ['auth.forbidden', 'kept.unknown', 'path.folder', 'path.exists', ...writeErrors],
    example: { path: 'docs/report.txt', query: { version: item } },
  },
  'DELETE /api/versions/*': {
    name: 'deleteVersion',
    response: 'done',
    errorCodes: ['auth.forbidden', 'kept.unknown', 'path.folder', 'path.special', ...diskErrors],
    example: { path: 'docs/report.txt', query: { version: item } },
  },
}
