import type { FileMetadata, FolderMetadata, MetadataField } from '#contract/metadata.ts'
import { api } from './client.ts'

/**
 * Reads what is known about the entries of a folder. If it is not complete, the next request makes the server read more.
 *
 * @throws ApiProblem when the server refuses, cannot be reached, or `signal` aborts.
 */
export async function readFolderMetadata(
  folder: string,
  fields: readonly MetadataField[],
  signal: AbortSignal,
): Promise<FolderMetadata> {
  const input = { params: { '*': folder }, query: { fields: fields.join(',') } }
  const answer = await api('GET /api/metadata/*', input, { signal })
  // A file in place of the folder.
  return 'items' in answer ? answer : { items: {}, complete: true }
}

/**
 * Reads the metadata of a file.
 *
 * @throws ApiProblem when the server refuses, cannot be reached, or `signal` aborts.
 */
export async function readFileMetadata(path: string, signal: AbortSignal): Promise<FileMetadata> {
  const answer = await api('GET /api/metadata/*', { params: { '*': path }, query: {} }, { signal })
  // A folder in place of the file.
  return 'items' in answer ? {} : answer
}
