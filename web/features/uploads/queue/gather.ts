import type { Wish } from './uploads-state.ts'

/** Files of a file chooser; in a chosen folder each knows its path below it. */
export function wishesOf(files: Iterable<File>): Wish[] {
  return [...files].map((body) => ({ path: body.webkitRelativePath || body.name, body }))
}

/**
 * Everything that was dropped, folders with all that is in them, empty ones too. The entries must be taken while the
 * drop event is still running; reading them may take as long as it likes.
 */
export function takeDrop(data: DataTransfer): Promise<Wish[]> {
  const entries = [...data.items].flatMap((item) => item.webkitGetAsEntry() ?? [])
  // A program may offer files without entries.
  if (entries.length === 0) return Promise.resolve(wishesOf(data.files))
  return gather(entries)
}

async function gather(entries: readonly FileSystemEntry[]): Promise<Wish[]> {
  const wishes: Wish[] = []
  for (const entry of entries) wishes.push(...(await wishesIn(entry)))
  return wishes
}

async function wishesIn(entry: FileSystemEntry): Promise<Wish[]> {
  const path = entry.fullPath.replace(/^\//, '')
  if (isFile(entry)) {
    return [{ path, body: await new Promise<File>((resolve, reject) => entry.file(resolve, reject)) }]
  }
  const children = await readAll((entry as FileSystemDirectoryEntry).createReader())
  return [{ path: `${path}/`, body: undefined }, ...(await gather(children))]
}

function isFile(entry: FileSystemEntry): entry is FileSystemFileEntry {
  return entry.isFile
}

/** A reader gives a hundred entries at a time and an empty list at the end. */
async function readAll(reader: FileSystemDirectoryReader): Promise<FileSystemEntry[]> {
  const all: FileSystemEntry[] = []
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    )
    if (some.length === 0) return all
    all.push(...some)
  }
}
