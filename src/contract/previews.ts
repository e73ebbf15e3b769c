import Type from 'typebox'
import { ShareToken } from './resources.ts'
import type { Address, Endpoint } from './schema/endpoint.ts'
import { PathParams } from './schema/resource-path.ts'
import { Shape } from './schema/shape.ts'

/**
 * `thumb`: a square of 256 pixels from the middle; `tile` and `big`: the whole picture, at most 480 or 1080 pixels on
 * its long side.
 */
export const previewSizes = ['thumb', 'tile', 'big'] as const
export type PreviewSize = (typeof previewSizes)[number]

const params = Shape({ size: Type.Enum([...previewSizes]), '*': Type.Optional(Type.String()) })
const inline = Type.Optional(Type.String({ maxLength: 16 }))
/** Only changes the address when the file has changed, for caches (contract/compatibility.md#previews-and-details). */
const key = Type.Optional(Type.String({ maxLength: 64 }))

export const previews = {
  'GET /api/preview/:size/*': {
    access: 'signed-in',
    ticket: 'raw',
    summary: 'Get a smaller version of an image as WebP; the file itself if the instance creates no previews',
    params,
    query: Shape({ inline, key, auth: Type.Optional(Type.String({ maxLength: 8192 })) }),
  },
  'GET /api/public/preview/:size/*': {
    access: 'public',
    summary: 'Get a smaller version of a shared image: `{id}`, or `{id}/{path}` inside a shared folder',
    params,
    query: Shape({ inline, key, token: ShareToken }),
  },
  /** `by`: degrees to the right. */
  'POST /api/rotate/*': {
    changes: 'save',
    access: 'signed-in',
    summary: 'Turn a JPEG to the right by changing only its orientation, and save it',
    quota: 'uploads',
    params: PathParams,
    query: Shape({ by: Type.Enum(['90', '180', '270']) }),
  },
  'GET /api/subtitle/*': {
    access: 'signed-in',
    ticket: 'raw',
    summary: 'Get a subtitle file (vtt, srt, ass, ssa) as WebVTT',
    params: PathParams,
    query: Shape({ inline, auth: Type.Optional(Type.String({ maxLength: 8192 })) }),
  },
  'GET /api/public/subtitle/*': {
    access: 'public',
    summary: 'Get a shared subtitle file as WebVTT: `{id}/{path}`',
    params: PathParams,
    query: Shape({ inline, token: ShareToken }),
  },
} satisfies Record<Address, Endpoint>
