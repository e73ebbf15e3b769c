import type { mail } from '#contract/notices/mail.ts'
import type { notices } from '#contract/notices/notices.ts'
import type { webhook } from '#contract/notices/webhook.ts'
import type { EndpointNote } from './note.ts'

const mailErrors = ['mail.unreachable', 'mail.tls', 'mail.auth', 'mail.refused'] as const

/** Notes for the endpoints of notices, webhooks and e-mails. */
export const noticesNotes: Readonly<
  Record<keyof (typeof notices & typeof webhook & typeof mail), EndpointNote>
> = {
  'GET /api/notices': {
    name: 'listNotices',
    description:
      'The newest 500 of the last 90 days are kept. The event `notice` of `GET /api/events` tells of changes.',
  },
  'POST /api/notices/read': {
    name: 'readNotices',
    response: 'done',
    errorCodes: ['disk.full'],
    example: { body: { upTo: 42 } },
  },
  'DELETE /api/notices': { name: 'clearNotices', response: 'done', errorCodes: ['disk.full'] },
  'GET /api/notices/settings': { name: 'getNoticeSettings' },
  'PUT /api/notices/settings': {
    name: 'setNoticeAddress',
    errorCodes: ['mail.address', 'mail.off', 'disk.full', ...mailErrors],
    description:
      'Sends a code to the address, at most five times an hour. Nothing else is sent to it before it is confirmed.',
    example: { body: { address: '' } },
  },
  'POST /api/notices/settings/confirm': {
    name: 'confirmNoticeAddress',
    errorCodes: ['mail.code', 'disk.full'],
    description: 'A code is valid for 30 minutes and five attempts.',
    example: { body: { code: '042137' } },
  },
  'GET /api/webhook': { name: 'getWebhook' },
  'PUT /api/webhook': {
    name: 'setWebhook',
    errorCodes: ['disk.full'],
    description:
      'Messages follow Standard Webhooks 1.0.0. The first response has the `secret` that signs them. The address must be on the ' +
      'Internet, unless the start option `--webhook-allow` names its host or network.',
    example: { body: { url: 'https://hooks.example/coffer', enabled: true } },
  },
  'POST /api/webhook/secret': {
    name: 'renewWebhookSecret',
    errorCodes: ['webhook.unknown', 'disk.full'],
    description: 'The old secret is not valid any more.',
  },
  'POST /api/webhook/test': {
    name: 'testWebhook',
    errorCodes: ['webhook.unknown', 'disk.full'],
    description: 'The result is in `GET /api/webhook`, under this id.',
  },
  'POST /api/webhook/deliveries/:id': {
    name: 'resendDelivery',
    response: 'done',
    errorCodes: ['webhook.unknown', 'disk.full'],
    example: { path: 'mWIUF1V0b6Vtn9TBwRbGzg' },
  },
  'GET /api/settings/mail': { name: 'getMailSettings' },
  'PUT /api/settings/mail': {
    name: 'changeMailSettings',
    errorCodes: ['mail.address', 'disk.full'],
    description:
      'A missing `password` stays, unless host, port or user change. An empty `host` turns e-mails off.',
    example: {
      body: {
        host: 'smtp.example',
        port: 587,
        security: 'starttls',
        user: 'coffer',
        password: 'the password of the mail account',
        from: 'coffer@files.example',
      },
    },
  },
  'POST /api/settings/mail/test': {
    name: 'testMail',
    response: 'done',
    errorCodes: ['mail.off', 'mail.address', ...mailErrors],
    example: { body: { to: 'ann@files.example' } },
  },
}
