/** A file chosen for upload; without a body it is a folder. */
export interface UploadRequest {
  /** The path relative to the target folder, separated by `/`. */
  path: string
  body: Blob | undefined
}

/** The files of a file chooser. In a chosen folder, each file has a path relative to it. */
export function uploadRequestsOf(files: Iterable<File>): UploadRequest[] {
  return [...files].map((body) => ({ path: body.webkitRelativePath || body.name, body }))
}

/**
 * Everything that was dropped: files, folders with their content, and empty folders. The entries must be read from the
 * event while it is dispatched; reading their content may take any time.
 */
export function readDrop(data: DataTransfer): Promise<UploadRequest[]> {
  const entries = [...data.items].flatMap((item) => item.webkitGetAsEntry() ?? [])
  // A script can drop files without entries.
  if (entries.length === 0) return Promise.resolve(uploadRequestsOf(data.files))
  return gather(entries)
}

async function gather(entries: readonly FileSystemEntry[]): Promise<UploadRequest[]> {
  const wishes: UploadRequest[] = []
  for (const entry of entries) wishes.push(...(await wishesIn(entry)))
  return wishes
}

async function wishesIn(entry: FileSystemEntry): Promise<UploadRequest[]> {
  const path = entry.fullPath.replace(/^\//, '')
  if (entry.isFile) {
    const file = entry as FileSystemFileEntry
    return [{ path, body: await new Promise<File>((resolve, reject) => file.file(resolve, reject)) }]
  }
  const children = await readAll((entry as FileSystemDirectoryEntry).createReader())
  return [{ path: `${path}/`, body: undefined }, ...(await gather(children))]
}

/** Reads all entries. A reader returns about 100 at a time, and an empty list at the end. */
async function readAll(reader: FileSystemDirectoryReader): Promise<FileSystemEntry[]> {
  const all: FileSystemEntry[] = []
  for (;;) {
    const batch = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    )
    if (batch.length === 0) return all
    all.push(...batch)
  }
}
