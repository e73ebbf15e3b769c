import type { auth } from '#contract/auth.ts'
import type { settings } from '#contract/settings.ts'
import type { users } from '#contract/users.ts'
import type { Note } from './note.ts'

const credentials = { username: 'ann', password: 'a long enough passphrase' }

/** Notes for the endpoints for accounts, sessions and settings. */
export const peopleNotes: Readonly<Record<keyof (typeof auth & typeof users & typeof settings), Note>> = {
  'POST /api/login': {
    name: 'login',
    answer: 'token',
    refusals: ['auth.wrong', 'auth.limited', 'auth.unchecked'],
    example: { body: credentials },
  },
  'POST /api/signup': {
    name: 'signup',
    answer: 'done',
    refusals: [
      ...(['signup.off', 'user.exists', 'user.name', 'password.weak', 'password.common'] as const),
      ...(['auth.wrong', 'auth.limited', 'auth.unchecked'] as const),
    ],
    example: { body: { username: 'bob', password: 'another long passphrase' } },
  },
  'POST /api/renew': { name: 'renew', answer: 'token' },
  'POST /api/logout': { name: 'logout', answer: 'done' },
  'POST /api/ticket': {
    name: 'makeTicket',
    refusals: ['path.invalid'],
    example: { body: { action: 'raw', path: '/docs/report.txt' } },
  },
  'GET /api/sessions': { name: 'listSessions' },
  'DELETE /api/sessions': {
    name: 'endOtherSessions',
    answer: 'done',
    description: 'However many there are, and also those that began after the list was fetched.',
  },
  'DELETE /api/sessions/:id': {
    name: 'endSession',
    answer: 'done',
    refusals: ['session.unknown'],
    example: { path: 'mWIUF1V0b6Vtn9TBwRbGzg' },
  },
  'GET /api/users/:id/sessions': {
    name: 'listSessionsOfUser',
    refusals: ['user.unknown'],
    example: { path: '2' },
  },
  'DELETE /api/users/:id/sessions': {
    name: 'endSessionsOfUser',
    answer: 'done',
    refusals: ['user.unknown'],
    example: { path: '2' },
  },
  'DELETE /api/users/:id/sessions/:session': {
    name: 'endSessionOfUser',
    answer: 'done',
    refusals: ['user.unknown', 'session.unknown'],
    example: { named: { id: '2', session: 'mWIUF1V0b6Vtn9TBwRbGzg' } },
  },
  'GET /api/users': { name: 'listUsers' },
  'POST /api/users': {
    name: 'addUser',
    answer: 'created',
    refusals: ['user.exists', 'user.name', 'password.weak', 'password.common'],
    example: {
      body: {
        what: 'user',
        which: [],
        data: { username: 'carol', password: 'another long passphrase', scope: '/carol' },
      },
    },
  },
  'GET /api/users/:id': {
    name: 'getUser',
    refusals: ['user.unknown'],
    example: { path: '2' },
  },
  'PUT /api/users/:id': {
    name: 'changeUser',
    answer: 'done',
    refusals: [
      'user.unknown',
      'user.exists',
      'user.name',
      'user.last',
      'password.weak',
      'password.common',
      'password.locked',
    ],
    example: { path: '2', body: { what: 'user', which: ['locale'], data: { id: 2, locale: 'de' } } },
  },
  'DELETE /api/users/:id': {
    name: 'removeUser',
    answer: 'done',
    refusals: ['user.unknown', 'user.last'],
    example: { path: '2' },
  },
  'GET /api/settings': { name: 'getSettings' },
  'PUT /api/settings': {
    name: 'changeSettings',
    answer: 'done',
    example: { body: { signup: false, branding: { name: 'Our files' } } },
  },
}
