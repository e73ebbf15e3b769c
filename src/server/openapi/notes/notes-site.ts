import type { Contract } from '#contract/index.ts'
import type { EndpointNote } from './note.ts'
import { busyErrors, diskErrors, writeErrors } from './note-parts.ts'

type SiteCall = Extract<keyof Contract, `${string} /api/${'site' | 'publish'}${string}`>

const siteErrors = ['site.off', 'site.setting', 'auth.forbidden'] as const
const publishErrors = [...siteErrors, 'site.outside', 'site.failed', ...writeErrors] as const

/** Notes for the endpoints that publish a static site. */
export const siteNotes: Readonly<Record<SiteCall, EndpointNote>> = {
  'GET /api/site': {
    name: 'site',
    errorCodes: [...siteErrors, ...diskErrors],
    description:
      'Only with `--staticgen`, for users with the permission to publish whose scope contains the website.',
  },
  'GET /api/site/status/*': {
    name: 'siteStatus',
    errorCodes: [...siteErrors, 'site.outside', ...diskErrors],
    description: 'Content files whose front matter cannot be read are omitted.',
    example: { path: 'blog/content/posts' },
  },
  'POST /api/site/pages': {
    name: 'createPage',
    errorCodes: [...publishErrors, 'site.archetype', 'path.exists'],
    description: 'The title becomes the name of the file. An existing file is never replaced.',
    example: { body: { kind: 'posts', title: 'A day at the sea' } },
  },
  'POST /api/site/preview': {
    name: 'startPreview',
    errorCodes: [...siteErrors, 'site.failed', ...busyErrors],
    description: 'The address works for an hour after the last request to it, and while the session lasts.',
  },
  'GET /api/site/preview/:id/*': {
    name: 'previewPage',
    response: 'generated',
    path: 'A path in the generated site',
    errorCodes: ['site.preview', 'site.failed', 'path.unknown'],
    example: { named: { id: 'q1Zy4v1JxjSB0T4Zk2cJ7Q' }, path: 'posts/index.html' },
  },
  'POST /api/site/front-matter': {
    name: 'frontMatter',
    errorCodes: ['site.off', 'auth.forbidden', 'frontmatter.invalid', 'request.large', 'user.busy'],
    description:
      'Comments, order and all fields that do not change stay as they are, byte by byte. Nothing is stored.',
    example: {
      body: { text: '---\ntitle: Sea\ndraft: true\n---\n', changes: [{ name: 'draft', value: false }] },
    },
  },
  'GET /api/publish': { name: 'publications', errorCodes: siteErrors },
  'POST /api/publish/*': {
    name: 'publish',
    errorCodes: [...publishErrors, 'site.time', 'site.many', 'hook.before', 'hook.after'],
    description:
      'Removes the draft mark of the file, runs the generator, and replaces the public folder when the generator has ' +
      'succeeded. After a failed build, the file is as it was. Undoing the operation puts the replaced folder and the mark ' +
      'back. With `at`, an RFC 3339 time with a zone, this is done at that time, once.',
    example: { path: 'blog/content/posts/sea.md', query: { at: '2033-12-01T08:30:00+01:00' } },
  },
  'DELETE /api/publish/*': {
    name: 'cancelPublication',
    path: 'The id of a scheduled publication',
    response: 'done',
    errorCodes: [...siteErrors, 'site.schedule'],
    example: { path: 'q1Zy4v1JxjSB0T4Zk2cJ7Q' },
  },
}
