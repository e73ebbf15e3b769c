import Type, { type Static } from 'typebox'
import { Shape } from './shape.ts'

/** What the user may do with an entry. */
export const Rights = Shape({
  /** Download it, or a folder as an archive. */
  read: Type.Boolean(),
  /** Create entries in it; false for a file. */
  create: Type.Boolean(),
  /** Change its content; false for a folder. */
  save: Type.Boolean(),
  rename: Type.Boolean(),
  delete: Type.Boolean(),
  share: Type.Boolean(),
})
export type Rights = Static<typeof Rights>
