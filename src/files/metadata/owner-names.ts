import { open } from 'node:fs/promises'

// More than the accounts of a large machine need.
const maxBytes = 1024 * 1024
const validForMs = 60_000

/**
 * The names of the owners of files, from the list of accounts of the machine. Reads the list again after a minute.
 * Accounts of a directory service are not in it.
 */
export function createOwnerNames({
  file = '/etc/passwd',
  elapsed,
}: {
  file?: string
  elapsed: () => number
}) {
  let names: Promise<ReadonlyMap<number, string>> = Promise.resolve(new Map())
  let readAt = Number.NEGATIVE_INFINITY

  return {
    /**
     * Returns a function that gives the name of a user of the machine, or the number if there is no name. Undefined on
     * Windows, where files have no such owner.
     */
    async nameOf(): Promise<((owner: number) => string) | undefined> {
      if (process.platform === 'win32') return undefined
      if (elapsed() - readAt > validForMs) {
        readAt = elapsed()
        names = readNames(file)
      }
      const known = await names
      return (owner) => known.get(owner) ?? String(owner)
    },
  }
}

async function readNames(file: string): Promise<ReadonlyMap<number, string>> {
  const names = new Map<number, string>()
  for (const line of (await readStart(file)).split('\n')) {
    // passwd(5): name, password, number. The first account with a number is the one that other programs show.
    const [, name, number] = /^([^:\s]{1,256}):[^:]*:(\d{1,10}):/.exec(line) ?? []
    if (name && number && !names.has(Number(number))) names.set(Number(number), name)
  }
  return names
}

/** Returns the start of the file without an incomplete last line. Empty when there is none. */
async function readStart(path: string): Promise<string> {
  try {
    await using file = await open(path)
    const { bytesRead, buffer } = await file.read(Buffer.alloc(maxBytes), 0, maxBytes, 0)
    const text = buffer.toString('utf8', 0, bytesRead)
    return bytesRead < maxBytes ? text : text.slice(0, text.lastIndexOf('\n'))
  } catch {
    return '' // a container without accounts: owners have numbers only
  }
}
