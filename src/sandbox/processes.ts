import { readdir, readFile, readlink } from 'node:fs/promises'

/**
 * Counts the processes in the process namespace that a child of the process `pid` created, on Linux. Returns 0 if
 * there is no such namespace. Threads do not count.
 */
export async function countInNamespace(pid: number): Promise<number> {
  const own = await namespaceOf('self')
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '')
  const namespaces = await Promise.all(children.split(' ').filter(Boolean).map(namespaceOf))
  const inner = namespaces.find((namespace) => namespace !== undefined && namespace !== own)
  if (inner === undefined) return 0
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const all = await Promise.all(ids.map(namespaceOf))
  return all.filter((namespace) => namespace === inner).length
}

/** Undefined: the process has ended, or the server may not inspect it. */
function namespaceOf(id: string): Promise<string | undefined> {
  return readlink(`/proc/${id}/ns/pid`).catch(() => undefined)
}
