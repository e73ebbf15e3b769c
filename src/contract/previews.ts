import Type from 'typebox'
import type { Address, Endpoint } from './endpoint.ts'
import { Shape } from './shape.ts'

/** `thumb`: a square of 256 pixels, cut from the middle; `big`: the whole picture, 1080 pixels at most on its longer side. */
export const previewSizes = ['thumb', 'big'] as const
export type PreviewSize = (typeof previewSizes)[number]

export const previews = {
  'GET /api/preview/:size/*': {
    access: 'signed-in',
    ticket: 'raw',
    summary: 'A picture made smaller, as WebP; the file itself where the instance makes none',
    params: Shape({ size: Type.Enum([...previewSizes]), '*': Type.Optional(Type.String()) }),
    query: Shape({
      inline: Type.Optional(Type.String({ maxLength: 16 })),
      /** Only makes the address another one when the file is another one (reference 13.1). */
      key: Type.Optional(Type.String({ maxLength: 64 })),
      auth: Type.Optional(Type.String({ maxLength: 8192 })),
    }),
  },
} satisfies Record<Address, Endpoint>
