import type { held } from '#contract/history/held.ts'
import type { EndpointNote } from './note.ts'
import { diskErrors, writeErrors } from './note-parts.ts'

const file = 'held-q1Zy4v1JxjSB0T4Zk2cJ7Q'

/** Notes for the endpoints of received files that are held back. */
export const heldNotes: Readonly<Record<keyof typeof held, EndpointNote>> = {
  'GET /api/held': {
    name: 'listHeld',
    errorCodes: [...diskErrors],
    description:
      'The newest first. Users see what they have sent themselves, and what visitors have sent through their shares.',
  },
  'DELETE /api/held/:id': {
    name: 'deleteHeld',
    response: 'done',
    errorCodes: ['scan.unknown', ...diskErrors],
    example: { named: { id: file } },
  },
  'POST /api/held/:id/release': {
    name: 'releaseHeld',
    errorCodes: ['scan.unknown', 'path.exists', ...writeErrors],
    description:
      'Works for every state, also for an infected file. Makes missing folders. If the name is taken, the file gets a free one, ' +
      'such as `report(1).txt`: only the unchanged file that it was sent to replace is replaced.',
    example: { named: { id: file }, body: { current_password: 'correct horse battery' } },
  },
}
