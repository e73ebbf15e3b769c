import type { FileMetadata } from '#contract/metadata.ts'
import type { ShownFolder } from '#src/files/listing/list-task.ts'
import { listEntries, type ShownEntries } from './list-entries.ts'
import { type BatchTask, type FoundMetadata, readBatch } from './read-batch.ts'
import { type FileTask, readFileFields } from './read-file.ts'

/** A task of the threads that read metadata: list a folder, read some of its pictures, or read one file. */
export type MetadataTask =
  | { kind: 'list'; folder: ShownFolder; isAll: boolean }
  | ({ kind: 'batch' } & BatchTask)
  | ({ kind: 'file' } & FileTask)

export interface MetadataResult {
  entries?: ShownEntries
  fields?: FileMetadata
}

/** Runs a task in a thread. A batch sends its results one by one. */
export async function runMetadataTask(
  task: MetadataTask,
  send: (found: FoundMetadata) => void,
): Promise<MetadataResult> {
  if (task.kind === 'list') return { entries: listEntries(task.folder, task) }
  if (task.kind === 'file') return { fields: await readFileFields(task) }
  await readBatch(task, send)
  return {}
}
