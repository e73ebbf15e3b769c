import { Readable } from 'node:stream'
import Type from 'typebox'
import { parseFilter } from '#src/audit/search/filter.ts'
import { type ControlCall, controlCall } from '#src/control/control-call.ts'
import type { Audit } from './audit.ts'
import { command } from './entry.ts'
import { exportText } from './export.ts'

const Hash = Type.String({ pattern: '^[0-9a-f]{64}$' })
const Text = Type.Optional(Type.String({ maxLength: 16384 }))

/** The control calls of `coffer audit`. */
export function auditCalls({ audit }: { audit: Audit }) {
  return {
    'audit/verify': controlCall(
      Type.Object({
        head: Type.Optional(Type.Object({ seq: Type.Optional(Type.Integer({ minimum: 1 })), hash: Hash })),
      }),
      async ({ head }, { signal }) => ({
        ...(await audit.verify(head && { seq: head.seq, hash: head.hash }, command, signal)),
        setAside: audit.setAside,
      }),
    ),

    'audit/head': controlCall(Type.Object({}), async () => audit.head()),

    /** Returns all records of a filter as a stream. */
    'audit/export': controlCall(
      Type.Object({
        format: Type.Enum(['csv', 'ndjson']),
        filter: Type.Object({
          user: Text,
          path: Text,
          kind: Text,
          address: Text,
          outcome: Text,
          from: Text,
          to: Text,
        }),
      }),
      async ({ format, filter }) => Readable.from(exportText(audit.all(parseFilter(filter)), format)),
    ),
  } satisfies Record<string, ControlCall<never, unknown>>
}
