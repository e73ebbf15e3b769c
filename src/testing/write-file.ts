import { unrecorded } from '#src/files/changes/change.ts'
import type { UserPath } from '#src/files/paths/user-path.ts'
import type { WritableFile } from '#src/files/receiving/writable-file.ts'
import { openDraft, type WriteContext, type WriteOptions } from '#src/files/writing/write.ts'

/** The options of `writeFile`. `fill` writes the content into the open temporary file. */
export type FileToWrite = WriteOptions & { fill: (file: WritableFile) => Promise<unknown> }

/** Writes a whole file as a request does. Returns its etag. */
export async function writeFile(
  context: Omit<WriteContext, 'change'>,
  path: UserPath,
  { fill, ...how }: FileToWrite,
): Promise<string> {
  await using draft = await openDraft({ ...context, change: unrecorded }, path, how)
  await draft.fill(fill)
  const { etag } = await draft.commit()
  return etag
}
