import type { Database } from '#src/core/database/database.ts'
import { Problem } from '#src/core/problem.ts'
import { parseJson } from '../archive/manifest.ts'
import { jsonContent } from '../archive/write-backup.ts'
import type { CheckedPart, Part, RestoreContext } from './part.ts'

const names = { file: 'history/history.db', head: 'history/head.json' }

/** The end of the audit log in a backup. */
interface Head {
  seq: number
  hash: string
}

/** The records of the audit log. */
interface AuditRecords {
  /** The last record. Undefined: there is none. */
  head(): Promise<Head | undefined>
  has(record: Head): Promise<boolean>
}

/** The name in the folder beside the state under which the next start finds the restored history. */
const restoredName = 'history.db.restored'

/**
 * The history of changes with the audit log. It is in a backup on request. A restore on the same instance leaves the
 * present history, because it continues the one of the backup and nothing of it must be lost. Elsewhere, the next start
 * uses the one of the backup, and the present one gets another name.
 */
export function createHistoryPart(database: Pick<Database, 'freeze'>, audit: AuditRecords): Part {
  return {
    limit: { files: 2, each: 64 * 1024 ** 3, all: 64 * 1024 ** 3 },
    isName: (name) => Object.values(names).includes(name),

    async collect({ history }) {
      if (!history) return { contents: [] }
      try {
        const head = (await audit.head()) ?? null
        const frozen = await database.freeze()
        return {
          contents: [jsonContent(names.head, head), { name: names.file, read: frozen.read }],
          release: () => frozen[Symbol.dispose](),
        }
      } catch (error) {
        if (!(error instanceof Problem)) throw error
        return { contents: [], left: [`The history of changes is not in the backup: ${error.message}.`] }
      }
    },

    async check({ files }: RestoreContext): Promise<CheckedPart> {
      const file = files.find(({ name }) => name === names.file)
      const head = files.find(({ name }) => name === names.head)
      if (!file || !head) return { note: undefined, summary: {}, lines: [] }
      const last = parseJson(await head.read(), names.head) as Partial<Head> | null
      const isHead = typeof last?.seq === 'number' && typeof last.hash === 'string'
      if (isHead && (await audit.has(last as Head)))
        return {
          note: undefined,
          summary: { kept: true },
          lines: ['history of changes: the present one stays, because it continues the one of the backup'],
        }
      return {
        note: { copy: file.copy },
        summary: { kept: false },
        lines: [
          'history of changes: the next start uses the one of the backup, and keeps the present one beside it',
        ],
      }
    },

    finish: (note, _read, place) => place((note as { copy: string }).copy, restoredName),
  }
}
