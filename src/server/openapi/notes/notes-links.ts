import type { Contract } from '#contract/index.ts'
import type { EndpointNote } from './note.ts'
import { busyErrors, diskErrors, downloadHeaders, scanErrors } from './note-parts.ts'

const writeErrors = ['path.folder', 'path.special', 'request.large'] as const
const visitHeader = { 'X-Visit': 'The ticket of the visit, from an earlier answer' }

const visitErrors = [
  'share.limit',
  'share.unknown',
  'share.password',
  'auth.limited',
  'auth.forbidden',
  ...diskErrors,
] as const
const shareErrors = ['share.right', 'share.download'] as const
const passwordHeader = { 'X-Share-Password': 'The password of the share, percent-encoded' }
const hashPath = 'The id of a share'
const visitPath =
  'The id of a share; inside a shared folder, followed by the path: percent-encode each name, and keep the slashes'

type LinkCall = Exclude<
  Extract<keyof Contract, `${string} /api/${'public' | 'share'}${string}`>,
  `${string} /api/public/tus/*`
>

/** Notes for the endpoints for shares and for their visitors. */
export const shareNotes: Readonly<Record<LinkCall, EndpointNote>> = {
  'POST /api/public/selection': {
    name: 'keepSelection',
    errorCodes: ['server.busy'],
    description:
      'For more names than a URL can contain: send the id as `selection` instead of `files`. The id gives no access to files.',
    example: { body: { files: 'report.txt,old' } },
  },
  'GET /api/public/preview/:size/*': {
    name: 'previewShared',
    response: 'picture',
    path: visitPath,
    errorCodes: [
      ...(['preview.type', 'preview.large', 'preview.broken', 'path.folder', 'path.special'] as const),
      ...visitErrors,
      ...busyErrors,
    ],
    headers: { ...passwordHeader, 'If-None-Match': 'Return 304 if the image still has this `ETag`' },
    example: { path: 'q1Zy4v1JxjSB0T4Zk2cJ7Q/2026/beach.jpg', named: { size: 'thumb' } },
  },
  'GET /api/public/cover/*': {
    name: 'coverOfShare',
    response: 'picture',
    path: 'The id of the share',
    errorCodes: ['preview.type', 'preview.large', 'preview.broken', ...visitErrors, ...busyErrors],
    headers: passwordHeader,
    example: { path: 'q1Zy4v1JxjSB0T4Zk2cJ7Q' },
  },
  'GET /api/public/subtitle/*': {
    name: 'subtitleShared',
    response: 'subtitle',
    path: visitPath,
    errorCodes: ['path.subtitle', ...visitErrors, ...busyErrors],
    headers: passwordHeader,
    example: { path: 'q1Zy4v1JxjSB0T4Zk2cJ7Q/films/film.srt' },
  },
  'GET /api/shares': { name: 'listShares', errorCodes: shareErrors },
  'GET /api/shares/:hash/log': {
    name: 'listShareLog',
    errorCodes: ['share.unknown', 'auth.forbidden', ...shareErrors],
    description:
      'Ranges of one client are one entry, which is written when the download is over. The audit settings say whether ' +
      'visits and downloads are recorded.',
    example: { named: { hash: 'q1Zy4v1JxjSB0T4Zk2cJ7Q' } },
  },
  'GET /api/shares/:hash/days': {
    name: 'listShareDays',
    errorCodes: ['share.unknown', 'auth.forbidden', ...shareErrors],
    example: { named: { hash: 'q1Zy4v1JxjSB0T4Zk2cJ7Q' } },
  },
  'GET /api/share/*': {
    name: 'listSharesOf',
    errorCodes: [...shareErrors, ...diskErrors],
    example: { path: 'docs/report.txt' },
  },
  'POST /api/share/*': {
    name: 'share',
    errorCodes: [...shareErrors, 'request.value', 'path.special', 'share.many', 'share.slug', ...diskErrors],
    description:
      'A second permanent share of the same resource without a password is not created: the first one is returned.',
    example: {
      path: 'docs/report.txt',
      body: { expires: '7', unit: 'days', password: 'a word for friends' },
    },
  },
  'PATCH /api/share/*': {
    name: 'changeShare',
    path: hashPath,
    errorCodes: [...shareErrors, 'auth.forbidden', 'share.unknown', 'share.slug', 'request.value'],
    description: 'Fields that are missing stay as they are.',
    example: { path: 'q1Zy4v1JxjSB0T4Zk2cJ7Q', body: { maxDownloads: 3, message: null } },
  },
  'DELETE /api/share/*': {
    name: 'unshare',
    response: 'done',
    path: hashPath,
    errorCodes: [...shareErrors, 'auth.forbidden', 'share.unknown'],
    example: { path: 'q1Zy4v1JxjSB0T4Zk2cJ7Q' },
  },
  'GET /api/public/share/*': {
    name: 'visit',
    path: visitPath,
    errorCodes: [...visitErrors, ...busyErrors],
    headers: passwordHeader,
    example: { path: 'q1Zy4v1JxjSB0T4Zk2cJ7Q/2026/' },
  },
  'POST /api/public/resources/*': {
    name: 'sendToShare',
    path: visitPath,
    errorCodes: [
      ...visitErrors,
      ...writeErrors,
      ...(['share.type', 'path.exists', 'scan.infected', 'scan.away'] as const),
      ...busyErrors,
    ],
    headers: { ...passwordHeader, ...visitHeader },
    description:
      'Answers with the path, the size and the SHA-256 of the received file. Nothing is replaced: a taken name gets a number. ' +
      'With a virus scanner, the status 202 and `held: true` mean that the file is not visible until it is examined.',
    example: { path: 'q1Zy4v1JxjSB0T4Zk2cJ7Q/report.pdf' },
  },
  'PUT /api/public/resources/*': {
    name: 'saveInShare',
    response: 'saved',
    path: visitPath,
    errorCodes: [...visitErrors, ...writeErrors, 'path.changed', ...scanErrors, ...busyErrors],
    headers: passwordHeader,
    example: { path: 'q1Zy4v1JxjSB0T4Zk2cJ7Q/notes.txt' },
  },
  'PATCH /api/public/resources/*': {
    name: 'moveInShare',
    response: 'done',
    path: visitPath,
    errorCodes: [...visitErrors, 'path.exists', 'path.inside', 'path.root', ...busyErrors],
    headers: passwordHeader,
    example: { path: 'q1Zy4v1JxjSB0T4Zk2cJ7Q/notes.txt', query: { destination: '/old/notes.txt' } },
  },
  'DELETE /api/public/resources/*': {
    name: 'deleteInShare',
    response: 'done',
    path: visitPath,
    errorCodes: [...visitErrors, 'path.root', ...busyErrors],
    headers: passwordHeader,
    example: { path: 'q1Zy4v1JxjSB0T4Zk2cJ7Q/notes.txt' },
  },
  'GET /api/public/dl/*': {
    name: 'downloadShared',
    response: 'bytes',
    path: visitPath,
    errorCodes: [...visitErrors, 'path.special', 'path.changed', 'request.range', ...busyErrors],
    headers: { ...passwordHeader, ...downloadHeaders },
    example: { path: 'q1Zy4v1JxjSB0T4Zk2cJ7Q/2026/report.txt' },
  },
}
