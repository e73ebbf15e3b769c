import Type from 'typebox'
import type { Address, Endpoint } from '../schema/endpoint.ts'
import { PathParams } from '../schema/resource-path.ts'
import { Shape } from '../schema/shape.ts'

/** One hit; the path is relative to the searched folder, without a leading slash (contract/README.md#search). */
export const SearchHit = Shape({ dir: Type.Boolean(), path: Type.String() })

/** One entry of a whole tree (contract/compatibility.md#previews-and-details). */
export const TreeEntry = Shape({
  path: Type.String(),
  name: Type.String(),
  size: Type.Number(),
  modified: Type.String(),
  isDir: Type.Boolean(),
})

export const search = {
  'GET /api/search/*': {
    access: 'signed-in',
    summary:
      'Search for names below a folder; with `Accept: application/x-ndjson`, streams one object per line',
    params: PathParams,
    query: Shape({ query: Type.Optional(Type.String({ maxLength: 4096 })) }),
    reply: Type.Array(SearchHit),
  },
  'GET /api/resources/recursive/*': {
    access: 'signed-in',
    summary: 'List everything below a folder, as a flat list',
    params: PathParams,
    reply: Type.Array(TreeEntry),
  },
} satisfies Record<Address, Endpoint>
