import Type, { type Static } from 'typebox'
import { type Address, bodySizes, type Endpoint } from '../schema/endpoint.ts'
import { Shape } from '../schema/shape.ts'

/** A received file that is not visible (contract/README.md#examined-files). */
export const HeldView = Shape({
  id: Type.String(),
  /**
   * `infected`: the virus scanner has found something. `waiting`: the scanner has not answered yet, or the file could not be
   * put at its place. `unscannable`: the scanner does not examine it, for example because it is too large.
   */
  state: Type.Enum(['infected', 'waiting', 'unscannable']),
  /** The name of the signature, or why the file is held, in English. */
  reason: Type.String(),
  name: Type.String(),
  /** Where it goes: relative to the served folder, for administrators; to the scope, for others. Empty: out of the scope. */
  path: Type.String(),
  size: Type.Number(),
  /** In hexadecimal digits; empty: not known yet. */
  sha256: Type.String(),
  /** The name of the user who has sent it, or of the owner of the share. Empty: the account was deleted. */
  user: Type.String(),
  /** The id of the share through which a visitor has sent it; missing: none. */
  share: Type.Optional(Type.String()),
  /** Only for administrators: the address of the sender. */
  address: Type.Optional(Type.String()),
  /** RFC 3339: when it arrived. */
  time: Type.String(),
})
export type HeldView = Static<typeof HeldView>

/** The current password, which a request needs if the sign-in was more than ten minutes ago. */
const ProofBody = Type.Union([
  Shape({ current_password: Type.Optional(Type.String({ maxLength: 1024 })) }),
  Type.Null(),
])
const HeldParams = Shape({ id: Type.String({ maxLength: 64 }) })

export const held = {
  'GET /api/held': {
    access: 'signed-in',
    summary: 'List the received files that are held back: your own ones; for an administrator, all',
    reply: Type.Array(HeldView),
  },
  'DELETE /api/held/:id': {
    changes: 'delete',
    records: 'always',
    access: 'signed-in',
    summary: 'Delete a file that is held back',
    params: HeldParams,
  },
  'POST /api/held/:id/release': {
    changes: 'restore',
    records: 'always',
    access: 'admin',
    proof: 'always',
    summary: 'Put a file that is held back at its place, in spite of the virus scanner',
    params: HeldParams,
    maxBodyBytes: bodySizes.small,
    body: ProofBody,
    reply: Shape({ path: Type.String() }),
  },
} satisfies Record<Address, Endpoint>
