import type { bookmarks } from '#contract/history/bookmarks.ts'
import type { EndpointNote } from './note.ts'
import { diskErrors } from './note-parts.ts'

/** Notes for the endpoints of starred and recent files. */
export const bookmarksNotes: Readonly<Record<keyof typeof bookmarks, EndpointNote>> = {
  'GET /api/starred': {
    name: 'listStarred',
    errorCodes: [...diskErrors],
    description: 'Leaves out what the user may not read now. Stars follow moved and renamed entries.',
  },
  'PUT /api/starred/*': {
    name: 'star',
    response: 'done',
    errorCodes: ['star.many', 'path.root', 'disk.full', ...diskErrors],
    example: { path: 'docs/report.txt' },
  },
  'DELETE /api/starred/*': {
    name: 'unstar',
    response: 'done',
    errorCodes: ['disk.full', ...diskErrors],
    description: 'Does nothing if there is no star. The entry may be gone.',
    example: { path: 'docs/report.txt' },
  },
  'GET /api/recent': {
    name: 'listRecent',
    errorCodes: [...diskErrors],
    description: 'Files that the user has created, uploaded, saved or renamed, or that were noted as opened.',
  },
  'POST /api/recent/*': {
    name: 'noteOpened',
    response: 'done',
    errorCodes: ['path.folder', 'path.root', 'disk.full', ...diskErrors],
    example: { path: 'docs/report.txt' },
  },
  'DELETE /api/recent': { name: 'clearRecent', response: 'done', errorCodes: ['disk.full'] },
}
