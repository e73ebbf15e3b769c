import { recordOf } from './audit.ts'
import type { StoredRecord } from './search/scan.ts'

/** The formats of an export, with their content types and the names of their files. */
export const exportFormats = {
  csv: { type: 'text/csv; charset=utf-8', name: 'audit.csv' },
  ndjson: { type: 'application/x-ndjson', name: 'audit.ndjson' },
} as const

export type ExportFormat = keyof typeof exportFormats

/** Turns records into the text of an export. */
export async function* exportText(
  batches: AsyncIterable<readonly StoredRecord[]>,
  format: ExportFormat,
): AsyncGenerator<string> {
  if (format === 'csv') yield `${header}\r\n`
  for await (const batch of batches) yield batch.map(format === 'csv' ? csvRecord : jsonLine).join('')
}

const header = 'seq,time,kind,outcome,user,address,operation,paths,count,detail,hash'

function jsonLine(record: StoredRecord): string {
  return `${JSON.stringify({ ...recordOf(record), hash: record.hash })}\n`
}

function csvRecord(stored: StoredRecord): string {
  const { seq, time, kind, outcome, user, address, operation = '', paths, count, detail } = recordOf(stored)
  // One path in each line of the cell.
  const lines = paths.map(({ path, to }) => (to === undefined ? path : `${path} → ${to}`)).join('\n')
  return csvLine([
    String(seq),
    time,
    kind,
    outcome,
    ...[user, address, operation, lines].map(harmless),
    String(count),
    harmless(detail),
    stored.hash,
  ])
}

/** RFC 4180. */
function csvLine(cells: readonly string[]): string {
  return `${cells.map((cell) => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(',')}\r\n`
}

/** Programs for tables run a cell that begins with one of these characters as a formula. */
function harmless(cell: string): string {
  return /^[=+\-@\t\r\n]/.test(cell) ? `'${cell}` : cell
}
