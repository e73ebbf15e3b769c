import type { auth } from '#contract/auth.ts'
import type { settings } from '#contract/settings.ts'
import type { users } from '#contract/users.ts'
import type { EndpointNote } from './note.ts'

const credentials = { username: 'ann', password: 'a long enough passphrase' }

/** Notes for the endpoints for accounts, sessions and settings. */
export const accountNotes: Readonly<
  Record<keyof (typeof auth & typeof users & typeof settings), EndpointNote>
> = {
  'POST /api/login': {
    name: 'login',
    response: 'token',
    errorCodes: ['auth.wrong', 'auth.limited', 'auth.unchecked'],
    example: { body: credentials },
  },
  'POST /api/signup': {
    name: 'signup',
    response: 'done',
    errorCodes: [
      ...(['signup.off', 'user.exists', 'user.name', 'password.weak', 'password.common'] as const),
      ...(['auth.wrong', 'auth.limited', 'auth.unchecked'] as const),
    ],
    example: { body: { username: 'bob', password: 'another long passphrase' } },
  },
  'POST /api/setup': {
    name: 'setUp',
    response: 'token',
    errorCodes: [
      ...(['request.unknown', 'auth.wrong', 'auth.limited'] as const),
      ...(['user.exists', 'user.name', 'password.weak', 'password.common'] as const),
    ],
    description: 'The server prints the code at its start. When there is an administrator, this is 404.',
    example: { body: { code: '7K2M-X0QD-93HB', username: 'admin', password: 'another long passphrase' } },
  },
  'POST /api/renew': { name: 'renew', response: 'token' },
  'POST /api/logout': { name: 'logout', response: 'done' },
  'POST /api/ticket': {
    name: 'makeTicket',
    errorCodes: ['path.invalid'],
    example: { body: { action: 'raw', path: '/docs/report.txt' } },
  },
  'GET /api/sessions': { name: 'listSessions' },
  'DELETE /api/sessions': {
    name: 'endOtherSessions',
    response: 'done',
    description: 'Includes sessions that started after you listed them.',
  },
  'DELETE /api/sessions/:id': {
    name: 'endSession',
    response: 'done',
    errorCodes: ['session.unknown'],
    example: { path: 'mWIUF1V0b6Vtn9TBwRbGzg' },
  },
  'GET /api/users/:id/sessions': {
    name: 'listSessionsOfUser',
    errorCodes: ['user.unknown'],
    example: { path: '2' },
  },
  'DELETE /api/users/:id/sessions': {
    name: 'endSessionsOfUser',
    response: 'done',
    errorCodes: ['user.unknown'],
    example: { path: '2' },
  },
  'DELETE /api/users/:id/sessions/:session': {
    name: 'endSessionOfUser',
    response: 'done',
    errorCodes: ['user.unknown', 'session.unknown'],
    example: { named: { id: '2', session: 'mWIUF1V0b6Vtn9TBwRbGzg' } },
  },
  'GET /api/users': { name: 'listUsers' },
  'POST /api/users': {
    name: 'addUser',
    response: 'created',
    errorCodes: ['user.exists', 'user.name', 'password.weak', 'password.common'],
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
    errorCodes: ['user.unknown'],
    example: { path: '2' },
  },
  'PUT /api/users/:id': {
    name: 'changeUser',
    response: 'done',
    errorCodes: [
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
    response: 'done',
    errorCodes: ['user.unknown', 'user.last'],
    example: { path: '2' },
  },
  'GET /api/homes': {
    name: 'getHome',
    errorCodes: ['path.invalid', 'path.denied'],
    example: { query: { path: '/users' } },
  },
  'GET /api/settings': { name: 'getSettings' },
  'PUT /api/settings': {
    name: 'changeSettings',
    response: 'done',
    example: { body: { signup: false, branding: { name: 'Our files' } } },
  },
}
