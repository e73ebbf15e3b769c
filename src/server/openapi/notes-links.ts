import type { Contract } from '#contract/index.ts'
import type { Note } from './note.ts'
import { packed, reading, there } from './note-parts.ts'

const visitErrors = ['share.unknown', 'share.password', 'auth.limited', 'auth.forbidden', ...there] as const
const shareErrors = ['share.right', 'share.download'] as const
const passwordHeader = { 'X-Share-Password': "The share's password, percent-encoded" }
const hashPath = 'The id of a link'
const visitPath =
  'The id of a link; inside a shared folder the path follows it, each name percent-encoded, slashes as they are'

type LinkCall = Extract<keyof Contract, `${string} /api/${'public' | 'share'}${string}`>

/** Notes for the endpoints for shares and for their visitors. */
export const linkNotes: Readonly<Record<LinkCall, Note>> = {
  'POST /api/public/selection': {
    name: 'keepSelection',
    refusals: ['server.busy'],
    description:
      'For more names than an address can carry: `selection` then stands where `files` would. It lets nobody reach anything.',
    example: { body: { files: 'report.txt,old' } },
  },
  'GET /api/public/preview/:size/*': {
    name: 'previewShared',
    answer: 'picture',
    path: visitPath,
    refusals: [
      ...(['preview.type', 'preview.large', 'preview.broken', 'path.folder', 'path.special'] as const),
      ...visitErrors,
      ...packed,
    ],
    headers: { ...passwordHeader, 'If-None-Match': '304 when the picture is still in this state' },
    example: { path: 'q1Zy4v1JxjSB0T4Zk2cJ7Q/2026/beach.jpg', named: { size: 'thumb' } },
  },
  'GET /api/public/subtitle/*': {
    name: 'subtitleShared',
    answer: 'subtitle',
    path: visitPath,
    refusals: ['path.subtitle', ...visitErrors, ...packed],
    headers: passwordHeader,
    example: { path: 'q1Zy4v1JxjSB0T4Zk2cJ7Q/films/film.srt' },
  },
  'GET /api/shares': { name: 'listShares', refusals: shareErrors },
  'GET /api/share/*': {
    name: 'listSharesOf',
    refusals: [...shareErrors, ...there],
    example: { path: 'docs/report.txt' },
  },
  'POST /api/share/*': {
    name: 'share',
    refusals: [...shareErrors, 'request.value', 'path.special', 'share.many', ...there],
    description: 'A second permanent link to the same thing, without a password, is the first one.',
    example: {
      path: 'docs/report.txt',
      body: { expires: '7', unit: 'days', password: 'a word for friends' },
    },
  },
  'DELETE /api/share/*': {
    name: 'unshare',
    answer: 'done',
    path: hashPath,
    refusals: [...shareErrors, 'auth.forbidden', 'share.unknown'],
    example: { path: 'q1Zy4v1JxjSB0T4Zk2cJ7Q' },
  },
  'GET /api/public/share/*': {
    name: 'visit',
    path: visitPath,
    refusals: [...visitErrors, ...packed],
    headers: passwordHeader,
    example: { path: 'q1Zy4v1JxjSB0T4Zk2cJ7Q/2026/' },
  },
  'GET /api/public/dl/*': {
    name: 'downloadShared',
    answer: 'bytes',
    path: visitPath,
    refusals: [...visitErrors, 'path.special', 'path.changed', 'request.range', ...packed],
    headers: { ...passwordHeader, ...reading },
    example: { path: 'q1Zy4v1JxjSB0T4Zk2cJ7Q/2026/report.txt' },
  },
}
